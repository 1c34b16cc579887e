"""The command that adopts a formula."""

import sys
from typing import Annotated, Literal

import orjson
import typer

from services.cli.nights.effects import Wait, show_effect
from services.cli.operator.formulas.trials import show_trial, tried
from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import AsJson, DataFolder, read_settings
from services.cli.terminal.output import hint, say_json
from services.cli.terminal.sending import send_until_told
from shared.answers.effects import AdoptionAnswer
from shared.errors import MahjicError
from shared.proposals.shelf import ProposalShelf, read_shelf
from shared.rating.registry import Formula, formula_named

Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]
ProposalOption = Annotated[
    str | None,
    typer.Option(
        "--proposal", metavar="NNNN", help="The proposal that led to it: see docs/proposals."
    ),
]


class NotTheProposal(MahjicError):
    """The proposal that is named cannot have led to this adoption."""

    code = "not_the_proposal"
    title = "The proposal does not fit"
    exit_code = 2


def adopt(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A formula by name: see `mahjic formula list`.")
    ],
    *,
    since: Annotated[
        Literal["now", "beginning"],
        typer.Option(
            "--since", help="From now on, or for everything ever played; then everyone moves."
        ),
    ] = "now",
    proposal: ProposalOption = None,
    yes: Yes = False,
    wait_s: Wait = 60,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Show what a formula changes, ask, and adopt it at the service (MAHJIC_URL) as its operator.

    The trial reads the logs as `mahjic formula try` does.
    """
    formula = formula_named(name)
    asked = _asked(formula, since, proposal)
    if as_json and not yes:
        raise typer.BadParameter(
            ("--json shows nothing and asks nothing; add --yes."), param_hint="--json"
        )
    with open_service(read_settings()) as service:
        service.check_key()
        if not as_json:
            show_trial(tried(formula, None, data))
        _tell_since(formula, since)
        if not (yes or (sys.stdin.isatty() and typer.confirm("Adopt it?", err=True))):
            hint("Nothing was changed. Use --yes to do it.")
            raise typer.Exit(1)
        content = send_until_told(service, path_of("v1", "admin", "formulas"), asked, wait_s=wait_s)
        answer = service.read(AdoptionAnswer, content)
        if as_json:
            say_json(content)
            return
        show_effect(service, answer["effect"])
    hint(f"{formula.name} is adopted by fact {answer['fact_seq']}.")


def _asked(formula: Formula, since: str, proposal: str | None) -> bytes:
    """Return what the service is asked for, once the proposal is found to fit."""
    asked = {"formula": formula.name, "since": since}
    if proposal is not None:
        check_proposal(read_shelf(), proposal, formula)
        asked["proposal"] = proposal
    return orjson.dumps(asked)


def check_proposal(shelf: ProposalShelf, number: str, formula: Formula) -> None:
    """Check that a proposal was accepted, and that it is this very formula that it proposes.

    Raises NotTheProposal.
    """
    shelved = shelf.numbered(number)
    if shelved is None:
        raise NotTheProposal(f"There is no proposal {number!r}. docs/proposals has all of them.")
    if shelved.proposal.outcome != "adopted":
        raise NotTheProposal(
            f"Proposal {number} is not decided, or declined. Adopt it once its head says `state: "
            "decided` and `outcome: adopted`."
        )
    if shelved.parameters != formula.rules:
        raise NotTheProposal(
            f"Proposal {number} proposes other numbers than {formula.name} has. Name the formula "
            "that was made of it."
        )


def _tell_since(formula: Formula, since: Literal["now", "beginning"]) -> None:
    hint(
        f"{formula.name} would apply to everything ever played: everyone would be rated again."
        if since == "beginning"
        else f"{formula.name} would apply to everything played from now on; no one moves now."
    )
