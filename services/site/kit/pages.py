"""Makes pages from templates, and answers with them.

A page that shows people is asked for again each time, since they may have become private; who
has the same page already gets 304.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.responses import Response
from starlette.types import Scope

from services.accounts.spans import FRESH_MINUTES, PROOF_MINUTES
from services.site.kit.compiled import CompiledOnce
from services.site.kit.contact import Contact
from services.site.kit.files import SiteFiles
from services.site.kit.lateness import Lateness
from services.site.kit.made import MadePage, MadePages
from services.site.kit.marks import band_mark, move_mark
from services.site.kit.origin import Origin
from services.site.kit.problems import told_problem
from services.site.kit.words import (
    BANDS,
    days_words,
    direction,
    games_words,
    minutes_words,
    seconds_words,
    shown_change,
    shown_day,
    shown_exactly,
    shown_number,
    shown_points,
    shown_rating,
)
from services.verification.own.told import YEAR_DOLLARS
from shared.http.conditional import is_held
from shared.http.layers.paths import FRAMED_PATH
from shared.http.requests import request_id_of
from shared.http.routes import handed_in

TEMPLATES: Final = Path(__file__).parent.parent / "templates"
# Sites differ in what they hand to templates, not in the templates.
_COMPILED: Final = CompiledOnce()
HTML: Final = "text/html; charset=utf-8"
# Asked about each time, and answered with 304 if nothing has changed.
_ASK_AGAIN: Final = "no-cache"
# How a client says that it does not take a coding (RFC 9110, section 12.4.2).
_REFUSED: Final = frozenset({"q=0", "q=0.0", "q=0.00", "q=0.000"})

# How pages write numbers, days and the like.
_FILTERS: Final = {
    "band_words": BANDS.__getitem__,
    "change": shown_change,
    "day": shown_day,
    "days": days_words,
    "direction": direction,
    "exact": shown_exactly,
    "games": games_words,
    "minutes": minutes_words,
    "number": shown_number,
    "points": shown_points,
    "rating": shown_rating,
    "seconds": seconds_words,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """What a page says about itself to browsers, search engines and whoever is sent its link.

    `path` is its one address, `preview` the address of its picture. A page that is not `indexed`
    stays out of search engines.
    """

    title: str
    description: str
    path: str
    preview: str = "/preview.png"
    indexed: bool = True

    @classmethod
    def unlisted(cls, title: str, words: str = "") -> "PageHead":
        """Return the head of a page that no search engine finds; without words its title tells."""
        return cls(title=title, description=words or title, path="", indexed=False)


class SitePages:
    """All pages of the site: templates, files, where people find it, and whom to write to."""

    def __init__(
        self,
        origin: Origin,
        contact: Contact | None = None,
        lateness: Lateness | None = None,
        *,
        is_sandbox: bool = False,
        has_public_log: bool = False,
    ) -> None:
        self.origin = origin
        self.contact = contact
        self._lateness = lateness or Lateness()
        self.files = SiteFiles()
        self._made = MadePages()
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            bytecode_cache=_COMPILED,
            extensions=["jinja2.ext.i18n"],
        )
        self._templates.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
        self._templates.filters |= _FILTERS
        self._templates.globals |= {
            "band": band_mark,
            "contact": contact,
            "fresh_minutes": FRESH_MINUTES,
            "proof_minutes": PROOF_MINUTES,
            "has_public_log": has_public_log,
            "is_sandbox": is_sandbox,
            "is_late": lambda: self._lateness.is_late,
            "move": move_mark,
            "static": self.files.address,
            "year_dollars": YEAR_DOLLARS,
        }

    def page(
        self, request: Request, template: str, head: PageHead, *, current: str = "", **shown: object
    ) -> Response:
        """Answer with a page; `current` is the entry of the navigation that it belongs to."""
        shown |= {"head": head, "current": current}
        made = self._made.page(
            (template, self.origin.url, self._lateness.is_late, shown),
            lambda: self.html(template, **shown).encode(),
        )
        return answer_shown(request, made, HTML)

    def personal(
        self,
        template: str,
        head: PageHead,
        *,
        status: int = 200,
        current: str = "",
        **shown: object,
    ) -> Response:
        """Answer with a page for one person, which nobody keeps.

        Nor is it compressed: what it holds could be told from its length.
        """
        page = self.html(template, head=head, current=current, **shown)
        return Response(page, status, media_type=HTML, headers={"Cache-Control": "no-store"})

    def html(self, template: str, **shown: object) -> str:
        """Return the text of a page."""
        return self._templates.get_template(template).render(origin=self.origin.url, **shown)

    async def problem(self, scope: Scope, problem: Mapping[str, Any]) -> bytes:
        """Return the page that tells about a problem and what to do."""
        told = told_problem(problem)
        head = PageHead.unlisted(told.title)
        is_framed = scope["path"].startswith(FRAMED_PATH)
        template = "embeds/problem.html" if is_framed else "kit/problem.html"
        request_id = request_id_of(scope)
        page = self.html(template, head=head, current="", told=told, request_id=request_id)
        return page.encode()


Site: TypeAlias = Annotated[SitePages, handed_in(SitePages)]


def answer_shown(
    request: Request, made: MadePage, media_type: str, *, caching: str = _ASK_AGAIN
) -> Response:
    """Answer with what was made, in as few bytes as the client takes.

    What shows people is asked for again each time; who has it already gets 304.
    """
    fields = {"ETag": made.etag, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    if is_held(request.headers.getlist("if-none-match"), made.etag):
        # With its type, since the fields of a 304 replace those that a browser kept: it must get
        # those of a page again, not those of data.
        return Response(status_code=304, media_type=media_type, headers=fields)
    if not takes_gzip(request):
        return Response(made.body, media_type=media_type, headers=fields)
    fields["Content-Encoding"] = "gzip"
    return Response(made.compressed, media_type=media_type, headers=fields)


def takes_gzip(request: Request) -> bool:
    """Return whether a client says that it takes gzip, as every browser does."""
    for each in request.headers.get("accept-encoding", "").split(","):
        coding, _, weight = each.partition(";")
        if coding.strip().lower() == "gzip":
            return weight.replace(" ", "") not in _REFUSED
    return False
