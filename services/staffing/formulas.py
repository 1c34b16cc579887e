"""Keeps the promises of FormulasAtStaff."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts
from services.foresight.season import Progress, TooLongToTryError, read_season
from services.foresight.trying import FormulaTrial, try_formula
from services.foresight.working import Underway
from services.ingest.changes.adoptions import adopt_formula, formula_in_use
from services.ingest.changes.answering import ChangePorts
from services.staffing.checked import ActOfStaff, AsShown, ports_for
from services.staffing.foreseeing import Foreseeing
from shared.access.acts import StaffActKind
from shared.events.facts import FormulaAdopted, FormulaAdoptedFromBeginning
from shared.proposals.shelf import ProposalShelf, ShelvedProposal
from shared.rating.registry import formula_named

# Everyone is rated again: the page does not wait for that.
WAIT_S: Final = 2.0

_KEPT_AS: Final[Mapping[Literal["now", "beginning"], StaffActKind]] = {
    "now": "adopt_formula_from_now",
    "beginning": "adopt_formula_from_beginning",
}


@dataclass(frozen=True, slots=True)
class StaffFormulas:
    """What staff do with formulas."""

    accounts: Accounts
    changing: ChangePorts
    foreseeing: Foreseeing
    shelf: ProposalShelf

    async def in_use(self) -> str:
        """Return the formula that is in use now."""
        return await self.accounts.settled(formula_in_use)

    async def attempt(self, name: str, *, newer_than: int) -> FormulaTrial | Underway | None:
        """Return what a formula would do."""
        work = partial(self._attempt, name)
        try:
            return await self.foreseeing.ask(f"formula {name}", work, newer_than=newer_than)
        except TooLongToTryError:
            return None

    def proposals(self, name: str) -> Sequence[ShelvedProposal]:
        """Return the proposals that an adoption of a formula may name."""
        return self.shelf.adopted_for(formula_named(name).rules)

    async def adopt(
        self,
        login: Login,
        name: str,
        since: Literal["now", "beginning"],
        *,
        proposal: str | None,
        as_of: int,
    ) -> None:
        """Adopt a formula, once."""
        formula = formula_named(name)
        kind = FormulaAdopted if since == "now" else FormulaAdoptedFromBeginning
        done = ActOfStaff(login, _KEPT_AS[since], (formula.name,))
        shown = AsShown(as_of, kind(formula.name, formula.parameters, proposal=proposal))
        ports = ports_for(self.changing, self.accounts, done, shown)
        await adopt_formula(formula.name, since, proposal=proposal, wait_s=WAIT_S, ports=ports)

    async def _attempt(self, name: str, progress: Progress) -> FormulaTrial:
        facts = self.foreseeing.facts
        end = (await facts.tail()).seq
        rounds_max = self.foreseeing.rounds_max
        season = await read_season(facts, end, progress, rounds_max=rounds_max)
        return await try_formula(season, formula_named(name), None, progress)
