"""Says if a night is sent again: the same, grown or changed since, or a new one.

Pure. It compares the rounds of a submission with those of the source's own sessions on that date.
docs/decisions say which rounds make two nights the same.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, NamedTuple

from services.ingest.claim.checks import CheckedSession
from services.ingest.record.judging.known_night import Night, RoundCompared
from services.ingest.record.judging.prints import RoundPrint
from shared.answers.nights import NightKind
from shared.events.facts import SessionSubmitted

# With two people, "all but one" is one person, who naturally plays other people too.
_PEOPLE_MIN_BUT_ONE: Final = 3
# As many rounds as a session may have. If a key finds more, they are from other sessions.
CANDIDATES_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class NightRound:
    """A round: each player's mahjongs and points (None if they do not count), by player id."""

    games_played: int
    seats: Mapping[str, tuple[int, int | None]]
    prints: RoundPrint


@dataclass(frozen=True, slots=True)
class KnownNight:
    """One of a source's sessions that counts, round by round."""

    session_id: str
    source: str
    session_date: str
    game_type: str
    rounds: Sequence[NightRound]


def night_of(
    session: CheckedSession,
    survivors: Sequence[Sequence[str]],
    prints: Sequence[RoundPrint],
    *,
    session_id: str,
    source: str,
) -> KnownNight:
    """Return a submission as a night. `survivors` are the players that its seats are read as."""
    has_points = session.game_type != "social"
    rounds = [
        NightRound(
            played.games_played,
            {
                player_id: (seat.mahjongs, seat.points_centi if has_points else None)
                for player_id, seat in zip(ids, played.seats, strict=True)
            },
            each,
        )
        for played, ids, each in zip(session.rounds, survivors, prints, strict=True)
    ]
    return KnownNight(session_id, source, session.session_date, session.game_type, rounds)


def night_in(
    fact: SessionSubmitted, read_as: Callable[[str], str], prints: Sequence[RoundPrint]
) -> KnownNight:
    """Return a session on record as a night. `read_as` says who each seat is to its source."""
    rounds = [
        NightRound(
            played.games_played,
            {
                read_as(player_id): (won, got)
                for player_id, won, got in zip(
                    played.players,
                    played.mahjongs,
                    played.points_centi or [None] * len(played.players),
                    strict=True,
                )
            },
            each,
        )
        for played, each in zip(fact.rounds, prints, strict=True)
    ]
    return KnownNight(fact.session_id, fact.source, fact.session_date, fact.game_type, rounds)


class NightsOfDay:
    """The sessions of a source on one day that were read. They are found by their rounds."""

    def __init__(self) -> None:
        self.nights: dict[str, KnownNight] = {}
        self._by_key: dict[Hashable, list[_Place]] = {}

    def add(self, night: KnownNight) -> None:
        """Put a session on record, unless it is there already."""
        if night.session_id in self.nights:
            return
        self.nights[night.session_id] = night
        for number, theirs in enumerate(night.rounds):
            place = _Place(night.session_id, number, theirs)
            for key in {theirs.prints.base, *_keys(theirs)}:
                self._by_key.setdefault(key, []).append(place)

    def among(self, session_ids: Iterable[str]) -> "NightsOfDay":
        """Return only these sessions, in the same order."""
        wanted = frozenset(session_ids)
        some = NightsOfDay()
        for night in self.nights.values():
            if night.session_id in wanted:
                some.add(night)
        return some

    def same(self, mine: NightRound) -> Iterator["_Place"]:
        """Yield the rounds that are the same as this one, to the last number."""
        found = self._by_key.get(mine.prints.base, ())
        return (each for each in found[:CANDIDATES_MAX] if _is_same(mine, each.played))

    def alike(self, mine: NightRound) -> Iterator["_Place"]:
        """Yield the rounds that may be this one with other numbers or another person."""
        for key in _keys(mine):
            found = self._by_key.get(key, ())
            yield from (each for each in found[:CANDIDATES_MAX] if _is_alike(mine, each.played))


class _Place(NamedTuple):
    """Where a round is on record."""

    session_id: str
    number: int
    played: NightRound


def compared(own: KnownNight, known: NightsOfDay, names: Mapping[str, str]) -> Night | None:
    """Return the night on record that a submission repeats, or None if it is a new one.

    `names` says what the submission calls each player. Rounds that are the same are found first, in
    all sessions. Then the remaining rounds are compared with each other.
    """
    matched: set[tuple[str, int]] = set()
    found = _found(dict(enumerate(own.rounds)), known.same, matched)
    same = set(found)
    left = {n: each for n, each in enumerate(own.rounds) if n not in same}
    found |= _found(left, known.alike, matched)
    if not found:
        return None
    places = [found[number] for number in sorted(found)]
    nights = [known.nights[each] for each in dict.fromkeys(each.session_id for each in places)]
    rounds = [*_rounds(own, found, same, names), *_missing(nights, matched)]
    return _night(own, nights, rounds, is_reordered=_are_reordered(places))


def _are_reordered(places: Iterable[_Place]) -> bool:
    """Return whether the rounds of a session on record are in another order in a submission."""
    last: dict[str, int] = {}
    for each in places:
        if each.number < last.get(each.session_id, 0):
            return True
        last[each.session_id] = each.number
    return False


def all_new(own: KnownNight, known: NightsOfDay) -> Night:
    """Return a submission compared with sessions that have nothing in common with it."""
    nights = list(known.nights.values())
    return _night(own, nights, [*_rounds(own, {}, set(), {}), *_missing(nights, set())])


def _night(
    own: KnownNight,
    nights: Sequence[KnownNight],
    rounds: Sequence[RoundCompared],
    *,
    is_reordered: bool = False,
) -> Night:
    types = {each.game_type for each in nights} - {own.game_type}
    days = {each.session_date for each in nights} - {own.session_date}
    whats = {each.what for each in rounds}
    kind: NightKind = "changed"
    if not (types or days or is_reordered) and whats <= {"same", "new"}:
        kind = "grown" if "new" in whats else "same"
    return Night(
        kind,
        [each.session_id for each in nights],
        rounds,
        game_type=min(types, default=None),
        is_reordered=is_reordered,
    )


def _found(
    rounds: Mapping[int, NightRound],
    search: Callable[[NightRound], Iterator[_Place]],
    matched: set[tuple[str, int]],
) -> dict[int, _Place]:
    """Return the first free place for each round, and take it."""
    found = {}
    for number, mine in rounds.items():
        free = (each for each in search(mine) if each[:2] not in matched)
        if (place := next(free, None)) is not None:
            found[number] = place
            matched.add(place[:2])
    return found


def _rounds(
    own: KnownNight, found: Mapping[int, _Place], same: Set[int], names: Mapping[str, str]
) -> Iterator[RoundCompared]:
    """Yield what happened to each round of a submission."""
    for number, mine in enumerate(own.rounds):
        if number not in found:
            yield RoundCompared(number, "new", None, "You have no such round on record.")
        elif number in same:
            yield RoundCompared(number, "same", found[number].session_id, "It is on record.")
        else:
            place = found[number]
            words = " ".join(_differences(mine, place.played, names)) or "Its numbers are the same."
            yield RoundCompared(number, "changed", place.session_id, words)


def _missing(
    nights: Iterable[KnownNight], matched: Set[tuple[str, int]]
) -> Iterator[RoundCompared]:
    """Yield the rounds of sessions that are missing from a submission."""
    for night in nights:
        for number in range(len(night.rounds)):
            if (night.session_id, number) not in matched:
                words = f"Round {number + 1} of {night.session_id} is not in what you sent."
                yield RoundCompared(None, "missing", night.session_id, words)


def _keys(played: NightRound) -> Iterator[Hashable]:
    """Yield the keys by which to find rounds that may be this one with a slip."""
    if played.prints.ref is not None:
        yield ("ref", played.prints.ref)
    people = frozenset(played.seats)
    yield people
    if len(people) >= _PEOPLE_MIN_BUT_ONE:
        yield from (("but one", people - {each}) for each in played.seats)


def _are_told_apart(mine: NightRound, theirs: NightRound) -> bool:
    """Return whether the source itself says, by refs, that two rounds are different."""
    refs = mine.prints.ref, theirs.prints.ref
    return None not in refs and refs[0] != refs[1]


def _is_same(mine: NightRound, theirs: NightRound) -> bool:
    """Return whether two rounds are identical. Points matter unless one round is social."""
    points = mine.prints.points, theirs.prints.points
    are_points_same = None in points or points[0] == points[1]
    # Prints are taken over merged players, and the source may not know about a merge.
    are_same_people = mine.seats.keys() == theirs.seats.keys()
    is_same = mine.prints.base == theirs.prints.base and are_points_same and are_same_people
    return is_same and not _are_told_apart(mine, theirs)


def _is_alike(mine: NightRound, theirs: NightRound) -> bool:
    """Return whether a round is another one with a slip in it, or with a slip fixed.

    That means the same people with other numbers, or the same numbers with one person replaced.
    """
    if mine.prints.ref is not None and mine.prints.ref == theirs.prints.ref:
        return True
    if _are_told_apart(mine, theirs):
        return False
    if mine.seats.keys() == theirs.seats.keys():
        return True
    common = mine.seats.items() & theirs.seats.items()
    mine_only, theirs_only = mine.seats.items() - common, theirs.seats.items() - common
    return (
        len(mine.seats) == len(theirs.seats) >= _PEOPLE_MIN_BUT_ONE
        and mine.games_played == theirs.games_played
        and len(mine_only) == 1
        and {numbers for _, numbers in mine_only} == {numbers for _, numbers in theirs_only}
    )


def _differences(mine: NightRound, theirs: NightRound, names: Mapping[str, str]) -> Iterator[str]:
    """Yield sentences that say how a round differs from what it was."""
    if mine.games_played != theirs.games_played:
        yield f"It has {mine.games_played} games, and had {theirs.games_played}."
    for player_id, (won, points) in mine.seats.items():
        name = names.get(player_id, player_id)
        before = theirs.seats.get(player_id)
        if before is None:
            yield f"{name} was not in it."
            continue
        if won != before[0]:
            yield f"{name} has {won} mahjongs, and had {before[0]}."
        if None not in (points, before[1]) and points != before[1]:
            yield f"{name} has {_points(points)} points, and had {_points(before[1])}."
    gone = len(theirs.seats.keys() - mine.seats.keys())
    if gone:
        yield f"{gone} of its players {'is' if gone == 1 else 'are'} no longer in it."


def _points(centi: int | None) -> str:
    assert centi is not None, "Points that are compared are there."
    return f"{centi / 100:g}" if centi % 100 == 0 else f"{centi / 100:.2f}"
