"""The addresses of the pages of words."""

from typing import Annotated, Final

from fastapi import Path, Request
from starlette.responses import RedirectResponse, Response

from services.projections.answering.names import PRIVATE_PLAYER
from services.site.kit import figures
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.reads import Reads
from services.site.words import example
from services.site.words.formula import told
from services.site.words.interface import prose
from services.site.words.interface.reference import Reference, ReferenceShelf
from services.site.words.promises import Promises
from shared.code_words import MISTAKES, SCORE_MISTAKES, SHEET_MISTAKES, WARNINGS
from shared.errors import NotFound
from shared.http.problems import ERRORS_PAGE
from shared.http.routes import Route, handed_in
from shared.rating.registry import formula_named

# Longer than any tag of the interface.
GROUP_CHARACTERS_MAX: Final = 20


Promised = Annotated[Promises, handed_in(Promises)]
Shelf = Annotated[ReferenceShelf, handed_in(ReferenceShelf)]


async def about(request: Request, site: Site, promises: Promised) -> Response:
    """Say what Mahjic is, and how a club begins."""
    head = PageHead(
        title=_("About Mahjic"),
        description=_(
            "What Mahjic is, who it is for, who runs it, and how a club, a league or a platform "
            "begins."
        ),
        path="/about",
    )
    return site.page(request, "words/about.html", head, current="about", promises=promises)


async def privacy(request: Request, site: Site, promises: Promised) -> Response:
    """Say what is stored, why, for how long, and how to be forgotten."""
    head = PageHead(
        title=_("Privacy"),
        description=_(
            "What Mahjic stores about players, why, for how long, who can see it, and how to be "
            "forgotten."
        ),
        path="/privacy",
    )
    return site.page(
        request,
        "words/privacy.html",
        head,
        current="privacy",
        promises=promises,
        private_player=PRIVATE_PLAYER,
    )


async def formula(request: Request, site: Site, reads: Reads, promises: Promised) -> Response:
    """Tell the formula in force twice: in plain words, and with all its numbers."""
    answer = await reads.formula.formula()
    head = PageHead(
        title=_("How the rating works"),
        description=_(
            "The formula behind every Mahjic rating, in plain words, with an example, and with "
            "all its numbers."
        ),
        path="/formula",
    )
    return site.page(
        request,
        "words/formula.html",
        head,
        current="formula",
        told=told(formula_named(answer["name"])),
        parameters=answer["parameters"],
        proposal=answer["proposal"],
        example_games=example.GAMES,
        example_wall_games=example.WALL_GAMES,
        promises=promises,
        f=figures,
    )


async def developers(request: Request, site: Site, promises: Promised, shelf: Shelf) -> Response:
    """Lead a developer from the key to the first rating, and list all operations."""
    head = PageHead(
        title=_("For developers"),
        description=_(
            "From an API key to the first rating in ten minutes, and every address of the "
            "Mahjic interface."
        ),
        path="/developers",
    )
    shown = {"reference": _reference(request, site, shelf), "promises": promises}
    return _reference_page(request, site, "words/developers.html", head, **shown)


async def developers_group(
    request: Request,
    site: Site,
    shelf: Shelf,
    group: Annotated[str, Path(max_length=GROUP_CHARACTERS_MAX)],
) -> Response:
    """Show the operations for one kind of reader."""
    reference = _reference(request, site, shelf)
    found = reference.group(group)
    if found is None:
        raise NotFound("There is no such part of the interface. /developers lists all of them.")
    title = TITLES[group]
    head = PageHead(
        title=_("The interface {}").format(title[0].lower() + title[1:]),
        description=_("Addresses of the Mahjic interface, each with an example: {}.").format(
            ", ".join(each.summary for each in found.operations[:5])
        ),
        path=f"/developers/{group}",
    )
    shown = {"reference": reference, "group": found}
    return _reference_page(request, site, "words/developers_group.html", head, **shown)


async def developers_errors(request: Request, site: Site, shelf: Shelf) -> Response:
    """Explain every code that the interface can answer with."""
    head = PageHead(
        title=_("Errors"),
        description=_("Every code of an error, a mistake or a warning, and what it means."),
        path="/developers/errors",
    )
    shown = {
        "reference": _reference(request, site, shelf),
        "mistakes": MISTAKES,
        "sheet_mistakes": SHEET_MISTAKES,
        "score_mistakes": SCORE_MISTAKES,
        "warnings": WARNINGS,
        "errors_page": ERRORS_PAGE,
    }
    return _reference_page(request, site, "words/developers_errors.html", head, **shown)


async def errors_by_type() -> Response:
    """Lead from the address that every problem names as its type to the page of errors."""
    return RedirectResponse("/developers/errors", status_code=308)


def _reference(request: Request, site: SitePages, shelf: ReferenceShelf) -> Reference:
    return shelf.of(request.app.openapi(), site.origin.url)


def _reference_page(
    request: Request, site: SitePages, template: str, head: PageHead, **shown: object
) -> Response:
    return site.page(
        request, template, head, current="developers", titles=TITLES, prose=prose, **shown
    )


# Whom the operations of each tag are for.
TITLES: Final = {
    "submit": _("For a source"),
    "read": _("For everyone"),
    "score": _("For anyone who scores games"),
    "operator": _("For the operator"),
    "audit": _("For an auditor"),
    "health": _("For monitoring"),
}
WORDS_ROUTES: Final = (
    Route("GET", "/about", about, ignores_unknown=True),
    Route("GET", "/privacy", privacy, ignores_unknown=True),
    Route("GET", "/formula", formula, ignores_unknown=True),
    Route("GET", "/developers", developers, ignores_unknown=True),
    Route("GET", "/developers/errors", developers_errors, ignores_unknown=True),
    Route("GET", "/developers/{group}", developers_group, ignores_unknown=True),
    Route("GET", "/docs/errors", errors_by_type, ignores_unknown=True),
)
