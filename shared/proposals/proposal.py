"""Reads a proposal to change the formula: its head, strictly, and its text. Pure.

Every mistake is told with its line, all of them at once. docs/proposals/README.md tells the format.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final, Literal, TypeAlias, cast, get_args

State: TypeAlias = Literal["draft", "open", "decided"]
Outcome: TypeAlias = Literal["adopted", "declined"]

FILE_NAME: Final = re.compile(r"(?P<number>[0-9]{4})-(?P<slug>[a-z0-9]+(?:-[a-z0-9]+)*)\.md")
NUMBER: Final = re.compile(r"[0-9]{4}", re.ASCII)
TITLE_CHARACTERS_MAX: Final = 100
EDGE: Final = "---"
_ADDRESS: Final = re.compile(r"https://[^\s/]+\.[^\s]+")
# What a head has in each state, and in which order.
ALWAYS: Final = ("title", "state", "written", "formula", "trial")
SINCE_OPEN: Final = ("opened", "discussion")
SINCE_DECIDED: Final = ("decided", "outcome")
FIELDS: Final[Mapping[State, Sequence[str]]] = {
    "draft": ALWAYS,
    "open": (*ALWAYS, *SINCE_OPEN),
    "decided": (*ALWAYS, *SINCE_OPEN, *SINCE_DECIDED),
}
_KNOWN: Final = FIELDS["decided"]


@dataclass(frozen=True, slots=True)
class ProposalMistake:
    """What is wrong in which line, and what to do about it."""

    line: int
    message: str


class ProposalRefused(Exception):
    """The file is no proposal; `mistakes` has all that is wrong with it, by line."""

    def __init__(self, file_name: str, mistakes: Sequence[ProposalMistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda each: each.line))
        lines = (f"{file_name}, line {each.line}: {each.message}" for each in self.mistakes)
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal. What belongs to a later state than its own is None."""

    number: str
    slug: str
    title: str
    state: State
    written: date
    formula_file: str
    trial_file: str
    opened: date | None
    discussion: str | None
    decided: date | None
    outcome: Outcome | None
    text: str


def read_proposal(file_name: str, content: str) -> Proposal:
    """Read the file of a proposal. Raises ProposalRefused."""
    reading = _Reading(content.splitlines())
    named = FILE_NAME.fullmatch(file_name)
    if named is None:
        reading.wrong(1, "The name of the file must be like 0001-short-name.md.")
        raise ProposalRefused(file_name, reading.mistakes)
    body_from = reading.head()
    stem = f"{named['number']}-{named['slug']}"
    reading.check_files(stem)
    state = reading.state()
    dates = {name: reading.day(name) for name in ("written", "opened", "decided")}
    reading.check_order(dates)
    reading.check_discussion()
    outcome = reading.one_of("outcome", get_args(Outcome))
    text = reading.body(body_from)
    if reading.mistakes:
        raise ProposalRefused(file_name, reading.mistakes)
    written = dates["written"]
    assert written is not None, "A head without it has a mistake."
    return Proposal(
        number=named["number"],
        slug=named["slug"],
        title=reading.values["title"],
        state=cast("State", state),
        written=written,
        formula_file=reading.values["formula"],
        trial_file=reading.values["trial"],
        opened=dates["opened"],
        discussion=reading.values.get("discussion"),
        decided=dates["decided"],
        outcome=cast("Outcome | None", outcome),
        text=text,
    )


class _Reading:
    """One reading of a file: notes every mistake and goes on with what is right."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.mistakes: list[ProposalMistake] = []
        self.values: dict[str, str] = {}
        self.at: dict[str, int] = {}

    def wrong(self, line: int, message: str) -> None:
        self.mistakes.append(ProposalMistake(line, message))

    def head(self) -> int:
        """Read the head, and return how many lines it takes."""
        if not self.lines or self.lines[0] != EDGE:
            self.wrong(1, f"The file must begin with a line of {EDGE}.")
            return 0
        for number, line in enumerate(self.lines[1:], start=2):
            if line == EDGE:
                self.at[EDGE] = number
                return number
            self._field(number, line)
        self.wrong(len(self.lines), f"The head has no end. Write a line of {EDGE} below it.")
        return len(self.lines)

    def _field(self, number: int, line: str) -> None:
        name, colon, value = line.partition(": ")
        if not colon or not value.strip() or value != value.strip():
            self.wrong(number, f"{line[:40]!r} must be a name, a colon, one space and a value.")
        elif name not in _KNOWN:
            self.wrong(number, f"Unknown name {name[:40]!r}. These are known: {', '.join(_KNOWN)}.")
        elif name in self.values:
            self.wrong(number, f"{name} is given twice, first in line {self.at[name]}. Keep one.")
        else:
            self.values[name], self.at[name] = value, number

    def state(self) -> str | None:
        """Return the state, and check that the head has what belongs to it."""
        state = self.one_of("state", get_args(State))
        wanted = FIELDS[cast("State", state)] if state else ALWAYS
        for name in wanted:
            if name not in self.values:
                self.wrong(self.at.get(EDGE, 1), f"{name} is missing in the head.")
        if state is not None:
            for name in self.values:
                if name not in wanted:
                    self.wrong(self.at[name], f"A proposal that is {state} has no {name} yet.")
        title = self.values.get("title", "")
        if len(title) > TITLE_CHARACTERS_MAX:
            longest = f"At most {TITLE_CHARACTERS_MAX} characters, not {len(title)}."
            self.wrong(self.at["title"], f"The title is too long. {longest}")
        return state

    def one_of(self, name: str, allowed: Sequence[str]) -> str | None:
        """Return a value that is one of a few."""
        value = self.values.get(name)
        if value is None or value in allowed:
            return value
        self.wrong(self.at[name], f"{name} is {value!r}. Write {' or '.join(allowed)}.")
        return None

    def day(self, name: str) -> date | None:
        """Return a date of the calendar."""
        value = self.values.get(name)
        try:
            found = None if value is None else date.fromisoformat(value)
        except ValueError:
            found = None
        if value is not None and (found is None or found.isoformat() != value):
            self.wrong(self.at[name], f"{name} is {value!r}. Write a date like 2026-11-30.")
            return None
        return found

    def check_order(self, dates: Mapping[str, date | None]) -> None:
        known = [(name, day) for name, day in dates.items() if day is not None]
        for (before, earlier), (name, later) in pairwise(known):
            if later < earlier:
                self.wrong(
                    self.at[name], f"{name} is {later}, which is before {before}, {earlier}."
                )

    def check_discussion(self) -> None:
        address = self.values.get("discussion")
        if address is not None and _ADDRESS.fullmatch(address) is None:
            self.wrong(self.at["discussion"], "The discussion must be an address with https://.")

    def check_files(self, stem: str) -> None:
        """Both files are beside the text, and are called like it."""
        for name, wanted in (("formula", f"{stem}.json"), ("trial", f"{stem}.trial.json")):
            if self.values.get(name, wanted) != wanted:
                self.wrong(self.at[name], f"{name} is {self.values[name]!r}. It must be {wanted}.")

    def body(self, body_from: int) -> str:
        """Return the text below the head, whose headings stand below the title of the page."""
        is_code = False
        for number, line in enumerate(self.lines[body_from:], start=body_from + 1):
            is_code ^= line.startswith("```")
            if line.startswith("# ") and not is_code:
                self.wrong(number, "The title is in the head. Begin headings with ##.")
        text = "\n".join(self.lines[body_from:]).strip()
        if not text and not self.mistakes:
            self.wrong(len(self.lines), "There is no text below the head.")
        return text + "\n"
