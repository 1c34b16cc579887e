"""The addresses of the pages on which the formula is changed in public."""

from typing import Annotated, Final

from fastapi import Path, Request
from starlette.responses import Response

from services.site.governance.rendered import rendered
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.reads import Reads
from shared.errors import NotFound
from shared.http.routes import Route, handed_in
from shared.proposals.shelf import ProposalShelf, ShelvedProposal

GOVERNANCE_PATH: Final = "/governance"
Shelf = Annotated[ProposalShelf, handed_in(ProposalShelf)]
ProposalNumber = Annotated[str, Path(max_length=4)]
STATES: Final = {
    "draft": _("Draft"),
    "open": _("Open for discussion"),
    "adopted": _("Adopted"),
    "declined": _("Declined"),
}
JSON: Final = "application/json"


async def governance(request: Request, site: Site, reads: Reads, shelf: Shelf) -> Response:
    """Say how the formula is changed, and list all proposals."""
    head = PageHead(
        title=_("How the formula changes"),
        description=_(
            "The rating formula is changed in public: every proposal, its trial on a whole "
            "history, and what became of it."
        ),
        path=GOVERNANCE_PATH,
    )
    return site.page(
        request,
        "governance/governance.html",
        head,
        current="formula",
        shelf=shelf,
        adoptions=await reads.formula.adoptions(),
        state_words=state_words,
    )


async def proposal(request: Request, site: Site, shelf: Shelf, number: ProposalNumber) -> Response:
    """Show a proposal: where it stands, its formula, its trial, and its text."""
    found = _found(shelf, number)
    head = PageHead(
        title=found.proposal.title,
        description=_("Proposal {} to change the formula of Mahjic: {}").format(
            number, found.proposal.title
        ),
        path=f"{GOVERNANCE_PATH}/{number}",
    )
    return site.page(
        request,
        "governance/proposal.html",
        head,
        current="formula",
        shelved=found,
        state_words=state_words,
        text=rendered(found.proposal.text),
    )


async def proposed_formula(shelf: Shelf, number: ProposalNumber) -> Response:
    """Hand out the formula of a proposal, as a file of parameters."""
    return Response(_found(shelf, number).formula_json, media_type=JSON)


async def proposal_trial(shelf: Shelf, number: ProposalNumber) -> Response:
    """Hand out the trial of a proposal."""
    return Response(_found(shelf, number).trial_json, media_type=JSON)


def state_words(shelved: ShelvedProposal) -> str:
    """Return where a proposal stands, in words."""
    return STATES[shelved.proposal.outcome or shelved.proposal.state]


def _found(shelf: ProposalShelf, number: str) -> ShelvedProposal:
    found = shelf.numbered(number)
    if found is None:
        raise NotFound("There is no proposal with this number. /governance lists all of them.")
    return found


GOVERNANCE_ROUTES: Final = (
    Route("GET", GOVERNANCE_PATH, governance, ignores_unknown=True),
    Route("GET", f"{GOVERNANCE_PATH}/{{number}}", proposal, ignores_unknown=True),
    Route(
        "GET",
        f"{GOVERNANCE_PATH}/{{number}}/formula.json",
        proposed_formula,
        ignores_unknown=True,
    ),
    Route("GET", f"{GOVERNANCE_PATH}/{{number}}/trial.json", proposal_trial, ignores_unknown=True),
)
