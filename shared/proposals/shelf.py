"""All proposals, each with its formula and its trial, from the files that are installed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.proposals.proposal import (
    Proposal,
    ProposalMistake,
    ProposalRefused,
    read_proposal,
)
from shared.rating.parameters import Parameters, ParametersRefused, read_parameters

# A link in a checkout, and the files themselves where Mahjic is installed.
KEPT: Final = Path(__file__).parent / "kept"

# Who moves most is not told in public: some of them are private.
Nobody: TypeAlias = Annotated[list[object], Field(max_length=0)]


class TrialPart(BaseModel):
    """A part of a trial, and nothing more."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class TrialMeasures(TrialPart):
    """How well a formula foretold the rounds of a period; None where there was nothing."""

    pairs: Annotated[int, Field(ge=0)]
    log_loss: float | None
    brier: float | None
    accuracy: float | None


class TrialPeriods(TrialPart):
    """All rounds, and those before and since a day."""

    all: TrialMeasures
    before: TrialMeasures
    since: TrialMeasures


class TrialForecasts(TrialPart):
    """The forecasts of what was adopted, and of what is proposed."""

    now: TrialPeriods
    tried: TrialPeriods


class TrialMoves(TrialPart):
    """How far the players of a pool move, in hundredths of a rating point."""

    players: int
    moved: int
    mean: float
    median: int
    most_of_90: int
    most_of_99: int
    most: int


class TrialPlaces(TrialPart):
    """How the leaderboard changes."""

    members: int
    staying: list[tuple[int, int]]
    correlation: float | None
    most_places: int
    top: Nobody


class ProposalTrial(TrialPart):
    """What `mahjic formula try FILE --json --unnamed` wrote."""

    formula: str
    now: str
    as_of: int
    rounds: int
    since: date | None
    forecasts: TrialForecasts
    mahjic: TrialMoves
    verified: TrialMoves
    board: TrialPlaces
    movers: Nobody


@dataclass(frozen=True, slots=True)
class ShelvedProposal:
    """A proposal with what lies beside it: the formula as it is written, and its trial."""

    proposal: Proposal
    formula_json: str
    parameters: Parameters
    trial_json: str
    trial: ProposalTrial


@dataclass(frozen=True, slots=True)
class ProposalShelf:
    """All proposals, the newest first."""

    proposals: tuple[ShelvedProposal, ...]

    def numbered(self, number: str) -> ShelvedProposal | None:
        """Return the proposal with a number like 0001."""
        for each in self.proposals:
            if each.proposal.number == number:
                return each
        return None

    def adopted_for(self, rules: Parameters) -> Sequence[ShelvedProposal]:
        """Return the proposals that were adopted and propose just these numbers."""
        return [
            each
            for each in self.proposals
            if each.proposal.outcome == "adopted" and each.parameters == rules
        ]


def read_shelf(folder: Path = KEPT) -> ProposalShelf:
    """Read all proposals of a folder. Raises ProposalRefused."""
    found = sorted(_read(folder), key=lambda each: each.proposal.number, reverse=True)
    for each in found:
        same = [o.proposal.slug for o in found if o.proposal.number == each.proposal.number]
        if len(same) > 1:
            mistake = ProposalMistake(1, f"Several have its number: {', '.join(sorted(same))}.")
            raise ProposalRefused(f"{each.proposal.number}-{each.proposal.slug}.md", [mistake])
    return ProposalShelf(tuple(found))


def _read(folder: Path) -> Iterator[ShelvedProposal]:
    for file in sorted(folder.glob("*.md")):
        if file.name == "README.md":
            continue
        proposal = read_proposal(file.name, file.read_text(encoding="utf-8"))
        formula_json = _beside(folder, file.name, proposal.formula_file)
        trial_json = _beside(folder, file.name, proposal.trial_file)
        try:
            parameters = read_parameters(formula_json)
        except ParametersRefused as refused:
            mistakes = [ProposalMistake(1, f"{m.pointer}: {m.message}") for m in refused.mistakes]
            raise ProposalRefused(proposal.formula_file, mistakes) from None
        try:
            trial = ProposalTrial.model_validate_json(trial_json)
        except ValidationError as wrong:
            mistakes = [
                ProposalMistake(1, f"/{'/'.join(map(str, each['loc']))}: {each['msg']}")
                for each in wrong.errors()
            ]
            raise ProposalRefused(proposal.trial_file, mistakes) from None
        if trial.formula != f"the file {proposal.formula_file}":
            mistake = ProposalMistake(1, f"It is a trial of {trial.formula}.")
            raise ProposalRefused(proposal.trial_file, [mistake])
        yield ShelvedProposal(proposal, formula_json, parameters, trial_json, trial)


def _beside(folder: Path, file_name: str, wanted: str) -> str:
    file = folder / wanted
    if not file.is_file():
        raise ProposalRefused(file_name, [ProposalMistake(1, f"The file {wanted} is not there.")])
    return file.read_text(encoding="utf-8")
