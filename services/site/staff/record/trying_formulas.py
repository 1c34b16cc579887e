"""Tries formulas on the whole history, and adopts one that was tried."""

from typing import Final, Literal
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from services.foresight.trying import FormulaTrial
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from services.site.staff.changes import RecordMoved
from services.site.staff.record.formula_charts import calibration, move_bars
from services.site.staff.record.shown_before import as_of, asked_again, newer_than
from shared.http.browser.forms import read_form
from shared.rating.registry import FORMULAS, Formula, formula_named

TAB: Final = "/formulas"
PATH: Final = f"{STAFF_PATH}{TAB}"
NO_PROPOSAL: Final = "none"


async def formulas_page(request: Request, at: AtStaff) -> Response:
    """List the formulas that this version of Mahjic knows."""
    return at.page(
        "staff/record/formulas.html",
        title=_("Formulas"),
        tab=TAB,
        formulas=FORMULAS,
        in_use=await at.room.formulas.in_use(),
        done=request.query_params.get("done", ""),
    )


async def try_page(request: Request, at: AtStaff) -> Response:
    """Show what a formula would do, or how far that is worked out."""
    formula = _named(request.query_params.get("formula", ""))
    found = await at.room.formulas.attempt(formula.name, newer_than=newer_than(request))
    trial = found if isinstance(found, FormulaTrial) else None
    return at.page(
        "staff/record/trial.html",
        title=_("Try {}").format(formula.name),
        tab=TAB,
        formula=formula,
        found=found,
        trial=trial,
        proposals=at.room.formulas.proposals(formula.name),
        charts=None if trial is None else (calibration(trial), move_bars(trial)),
        here=f"{PATH}/try?{urlencode({'formula': formula.name})}",
        has_moved=request.query_params.get("moved") == "yes",
    )


async def adopt(request: Request, at: AtStaff) -> Response:
    """Adopt a formula, if the record stands as it was tried on."""
    form = await read_form(request)
    formula = _named(form.get("formula", ""))
    since: Literal["now", "beginning"] = "now" if form.get("since") == "now" else "beginning"
    proposal = form.get("proposal", "")
    fitting = [each.proposal.number for each in at.room.formulas.proposals(formula.name)]
    if form.get("since") not in {"now", "beginning"} or proposal not in {*fitting, NO_PROPOSAL}:
        return lead_to(f"{PATH}/try?{urlencode({'formula': formula.name})}")
    try:
        await at.room.formulas.adopt(
            at.login,
            formula.name,
            since,
            proposal=None if proposal == NO_PROPOSAL else proposal,
            as_of=as_of(form),
        )
    except RecordMoved:
        return asked_again(f"{PATH}/try", {"formula": formula.name}, form)
    return lead_to(f"{PATH}?done={since}")


def _named(name: str) -> Formula:
    """Return a formula by its name. Raises UnknownFormula."""
    return formula_named(name[:100])
