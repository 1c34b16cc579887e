"""A second, simple implementation of what stands at a table: by the definition, in square time.

It knows the books that keep who won and typed points, and shares nothing with the code that serves
but the limits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from shared.tables.entries import Entry, Subject
from shared.tables.limits import PENALTIES_LOOKED_AT_MAX, PENALTIES_OF_ROUND_MAX

UNDO: Final = ("undo",)
# What an entry comes to: an undo, None if it can't count, or who won and what everybody gets.
Comes: TypeAlias = tuple[Any, ...] | None


@dataclass(frozen=True)
class ModelTable:
    """The people of a round, the rule book, and how far removed phones count."""

    people: Sequence[int]
    is_who: bool
    counts_to: Mapping[int, int]


@dataclass(frozen=True)
class ModelSubject:
    """What stands for a subject, and the ids of those who say the same, for each answer."""

    status: str
    comes: Comes
    said: frozenset[frozenset[str]]


@dataclass(frozen=True)
class ModelRound:
    """What stands in a round; totals are a person, games, mahjongs and points."""

    subjects: Mapping[Subject, ModelSubject]
    totals: Sequence[tuple[int, int, int, int | None]]
    confirmed: Sequence[int]


def model_of(entries: Sequence[Entry], number: int, table: ModelTable) -> ModelRound:
    """Return what stands in a round after a whole list."""
    here = [each for each in _taken(entries, table) if each.about.round == number]
    about = list(dict.fromkeys(each.about for each in here if each.about.kind != "right"))
    penalties = [each for each in about if each.kind == "penalty"]
    about = [each for each in about if each not in penalties[PENALTIES_LOOKED_AT_MAX:]]
    subjects: dict[Subject, ModelSubject] = {}
    for subject in about:
        told = _subject([each for each in here if each.about == subject], table)
        asked = [
            other
            for other, each in subjects.items()
            if other.kind == "penalty" and each.status in ("counts", "two_answers")
        ]
        is_over = len(asked) == PENALTIES_OF_ROUND_MAX and subject.kind == "penalty"
        if is_over and told.status in ("counts", "two_answers"):
            told = ModelSubject("not_counted", None, told.said)
        subjects[subject] = told
    return ModelRound(subjects, _totals(subjects, table), _confirmed(here, subjects, table))


def _taken(entries: Sequence[Entry], table: ModelTable) -> list[Entry]:
    taken: list[Entry] = []
    for entry in entries:
        is_cut = entry.count > table.counts_to.get(entry.device, entry.count)
        if not is_cut and entry.entry_id not in [each.entry_id for each in taken]:
            taken.append(entry)
    return taken


def _subject(entries: Sequence[Entry], table: ModelTable) -> ModelSubject:
    said: dict[Comes, set[str]] = {}
    for one in entries:
        others = [other for other in entries if other is not one]
        if not any(one.entry_id in other.replaces for other in others):
            said.setdefault(_comes_to(one, table), set()).add(one.entry_id)
    able = [each for each in said if each is not None]
    if len(able) > 1:
        status = "two_answers"
    elif able and able[0] != UNDO:
        status = "counts"
    else:
        status = "not_counted" if said and not able else "taken_back"
    comes = able[0] if status == "counts" else None
    return ModelSubject(status, comes, frozenset(map(frozenset, said.values())))


def _comes_to(entry: Entry, table: ModelTable) -> Comes:
    people, content = table.people, entry.content
    if content is None:
        return UNDO
    if entry.about.kind == "penalty":
        if table.is_who or content["person"] not in people:
            return None
        return (None, *(content["points"] * (each == content["person"]) for each in people))
    winner, points = content["winner"], dict(content.get("points", ()))
    if not people or winner not in (None, *people):
        return None
    if table.is_who:
        return (winner,)
    return (winner, *(points[each] for each in people)) if points.keys() == {*people} else None


def _totals(
    subjects: Mapping[Subject, ModelSubject], table: ModelTable
) -> list[tuple[int, int, int, int | None]]:
    counted = [(about.kind, each.comes) for about, each in subjects.items() if each.comes]
    games = [comes for kind, comes in counted if kind == "game"]
    return [
        (
            person,
            len(games),
            sum(winner == person for winner, *_ in games),
            None if table.is_who else sum(comes[seat + 1] for _, comes in counted),
        )
        for seat, person in enumerate(table.people)
    ]


def _confirmed(
    here: Sequence[Entry], subjects: Mapping[Subject, ModelSubject], table: ModelTable
) -> list[int]:
    counted = {about: each.comes for about, each in subjects.items() if each.comes}
    if not counted or "two_answers" in [each.status for each in subjects.values()]:
        return []
    confirmed: set[int] = set()
    for right in {each.device: each for each in here if each.about.kind == "right"}.values():
        if right.content is None:
            continue
        ids = set(right.content["stands"])
        named = [each for each in here if each.entry_id in ids and each.about in subjects]
        says = {each.about: _comes_to(each, table) for each in named}
        is_so = all(_comes_to(each, table) == counted.get(each.about) for each in named)
        if is_so and len(named) == len(ids) and says == counted:
            confirmed |= set(right.content["for"])
    return [each for each in table.people if each in confirmed]
