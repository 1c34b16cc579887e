"""Checks a service: its logs, the players who are asked about, and for an auditor everything."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from services.cli.checking.again import RatedAgain, rate_again
from services.cli.checking.asking import AskedService, NotChecked
from services.cli.checking.auditing import check_records
from services.cli.checking.found import DoesNotHold, Findings
from services.cli.checking.heads import LOGS_PATH, CheckedHead
from services.cli.checking.kept import Memory, SeenHeads, unwritable
from services.cli.checking.one_player import CheckedPlayer, Known, check_player
from services.cli.checking.trusting import read_current_head, read_keys
from services.cli.checking.whole_trees import check_tiles
from services.cli.terminal.options import run_command
from shared.tlog.leaves import LOG_NAMES, LogName
from shared.tlog.notes import VerifierKey

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What the caller asks for: players, and keys that they have from elsewhere."""

    players: Sequence[str]
    log_keys: Sequence[VerifierKey]
    witnesses: Sequence[VerifierKey]


@dataclass(slots=True)
class Checked:
    """What a check found, and how far it came."""

    findings: Findings = field(default_factory=Findings)
    heads: dict[LogName, CheckedHead] = field(default_factory=dict)
    players: list[CheckedPlayer] = field(default_factory=list)
    rated_again: RatedAgain | None = None
    not_finished: str | None = None

    @property
    def holds(self) -> bool:
        """Whether everything was checked and holds."""
        return not self.findings.wrong and self.not_finished is None

    def sentence(self, place: str) -> str:
        """Return what was found, in one sentence."""
        if count := len(self.findings.wrong):
            things = "1 thing is" if count == 1 else f"{count} things are"
            return f"{place} does not hold: {things} wrong."
        if self.not_finished is not None:
            return f"{place} was not checked to the end; nothing wrong was found so far."
        facts, verdicts = (self.heads[name].checkpoint.size for name in ("facts", "verdicts"))
        told = [f"{facts} facts and {verdicts} verdicts are signed"]
        if changes := sum(each.changes for each in self.players):
            shown = sum(each.records_shown for each in self.players)
            all_records = shown + sum(each.records_withheld for each in self.players)
            told.append(f"{changes} changes add up and are on the logs")
            if self.rated_again is not None:
                told.append("all their records say the same")
            else:
                told.append(f"{shown} of their {all_records} records are shown and say the same")
        if (again := self.rated_again) is not None:
            told.append(f"{again.facts} facts give the {again.verdicts} verdicts published")
        return f"{place} holds: {', '.join(told)}."


def check_service(
    asking: AskedService, wanted: CheckRequest, memory: Memory, progress: Progress
) -> Checked:
    """Check a service, and keep what was seen if everything holds.

    Raises UnreadableMemory and CheckRunning.
    """
    with memory.held():
        return _check(asking, wanted, memory, progress)


def _check(
    asking: AskedService, wanted: CheckRequest, memory: Memory, progress: Progress
) -> Checked:
    checked = Checked()
    seen = memory.seen()
    try:
        keys = read_keys(asking, wanted.log_keys, wanted.witnesses)
        # The verdicts first: the facts that they answer are then on the log of facts.
        for name in ("verdicts", "facts"):
            checked.heads[name] = read_current_head(asking, keys, name, seen, checked.findings)
        _check_more(asking, wanted, memory, checked, progress)
    except DoesNotHold as error:
        checked.findings.add(error.where or LOGS_PATH, error.what)
    except NotChecked as error:
        checked.not_finished = error.detail
    if checked.holds:
        facts, verdicts = checked.heads["facts"], checked.heads["verdicts"]
        memory.keep(SeenHeads(url=asking.place, facts=facts.kept(), verdicts=verdicts.kept()))
    return checked


def _check_more(
    asking: AskedService, wanted: CheckRequest, memory: Memory, checked: Checked, progress: Progress
) -> None:
    findings = checked.findings
    known: Known | None = None
    if asking.key is not None:
        known = _audit(asking, memory, checked, progress)
    elif not wanted.players:
        for head in checked.heads.values():
            for _ in check_tiles(head, 0, findings, progress):
                continue
    # Last: the heads go on with what is answered meanwhile.
    for who in wanted.players:
        with findings.at(who):
            player = check_player(asking, checked.heads, who, findings, progress, known=known)
            checked.players.append(player)


def _audit(
    asking: AskedService, memory: Memory, checked: Checked, progress: Progress
) -> Known | None:
    """Check every record, and rate everything again; return the records if all are right."""
    findings, records = checked.findings, Known()
    for name in LOG_NAMES:
        with findings.at(LOGS_PATH):
            head = checked.heads[name]
            try:
                records[name] = check_records(asking, head, memory.folder, findings, progress)
            except OSError as error:
                raise unwritable(memory.folder, error) from error
    if len(records) < len(LOG_NAMES):
        return None
    again = rate_again(records["facts"], records["verdicts"], findings, progress)
    checked.rated_again = run_command(again)
    return records
