"""Walks once through a claim's document: makes a session of it, and notes which rules it breaks.

Pure. Parts that do not have the form of a claim are skipped, and every rule still applies to the
rest, so that one mistake never hides another. The claim's model says what is wrong with the form.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from services.ingest.claim.checks import (
    CheckedRound,
    CheckedSeat,
    CheckedSession,
    Checks,
    IfSimilar,
    warnings_of,
)
from services.ingest.claim.claims import RoundClaim, SeatClaim
from shared.errors import Mistake
from shared.json_text import is_odd_number
from shared.limits import (
    DATE_CHARACTERS_MAX,
    GAMES_MAX,
    REF_CHARACTERS_MAX,
    ROUNDS_MAX,
    SEATS_MAX,
    SEATS_MIN,
    SOURCE_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
)

_ROUND_FIELDS: Final = frozenset(RoundClaim.model_fields)
_SEAT_FIELDS: Final = frozenset(SeatClaim.model_fields)
_WITH_POINTS: Final = ("league", "tournament")
_IF_SIMILAR: Final = (None, "warn", "refuse")
_NUMBERS: Final = frozenset({int, Decimal})
# Takes the place of a part that is not an object.
_NOTHING: Final[dict[str, Any]] = {}


class Walk:
    """A walk through one document from the JSON reader. `fields` are the fields it may have.

    `mistakes` are the rules that it breaks. `is_well_formed` is false if any part of it may not
    have the form of a claim.
    """

    def __init__(
        self,
        document: object,
        fields: frozenset[str],
        *,
        source: str,
        today_latest: date,
    ) -> None:
        self.is_well_formed = True
        self._checks = Checks()
        self._claim = claim = self._object(document, fields)
        source_id = self._text_or_none(claim, "source_id", SOURCE_CHARACTERS_MAX)
        if source_id is not None:
            self._checks.check_source(source_id, source)
        day = self._text(claim.get("session_date"), DATE_CHARACTERS_MAX)
        if day is not None:
            self._checks.check_date(day, today_latest)
        game_type = claim.get("game_type")
        self._has_points = game_type in _WITH_POINTS
        self._rounds = self._read_rounds(claim.get("rounds"))
        self.is_well_formed &= (
            (self._has_points or game_type == "social")
            and type(claim.get("allow_duplicate", False)) is bool
            and type(claim.get("whole_night", False)) is bool
            and claim.get("if_similar") in _IF_SIMILAR
        )

    @property
    def mistakes(self) -> Sequence[Mistake]:
        """The rules that the document breaks, each with its place."""
        return self._checks.mistakes

    @property
    def finds_nothing_wrong(self) -> bool:
        """Whether the document has the form of a claim, and breaks no rule.

        If so, every number is within limits, and every text was checked.
        """
        return self.is_well_formed and not self._checks.mistakes

    def session(self, if_similar: IfSimilar) -> CheckedSession:
        """Return the session. Call it only when nothing is wrong with the document."""
        claim = self._claim
        return CheckedSession(
            session_date=claim["session_date"],
            game_type=claim["game_type"],
            rounds=self._rounds,
            allow_duplicate=claim.get("allow_duplicate", False),
            warnings=warnings_of(self._rounds, claim["game_type"]),
            is_whole_night=claim.get("whole_night", False),
            if_similar=claim.get("if_similar") or if_similar,
        )

    def _read_rounds(self, listed: object) -> tuple[CheckedRound, ...]:
        self.is_well_formed &= type(listed) is list and 1 <= len(listed) <= ROUNDS_MAX
        begun = listed[:ROUNDS_MAX] if isinstance(listed, list) else []
        rounds = [self._object(each, _ROUND_FIELDS) for each in begun]
        refs = [self._text_or_none(each, "ref", REF_CHARACTERS_MAX) for each in rounds]
        self.is_well_formed &= "" not in refs
        self._checks.check_refs(refs)
        read = [self._read_round(at, each, refs[at]) for at, each in enumerate(rounds)]
        return tuple([each for each in read if each is not None])

    def _read_round(
        self, number: int, played: dict[str, Any], ref: str | None
    ) -> CheckedRound | None:
        """Return a round, or None once something is wrong.

        It is read column by column, and its mistakes are reported in that order.
        """
        checks = self._checks
        listed = played.get("players")
        is_table = type(listed) is list and SEATS_MIN <= len(listed) <= SEATS_MAX
        self.is_well_formed &= is_table
        begun = listed[:SEATS_MAX] if isinstance(listed, list) else []
        seats = [self._object(each, _SEAT_FIELDS) for each in begun]
        texts = [self._text(seat.get("email"), TEXT_CHARACTERS_MAX) for seat in seats]
        people = [
            None if text is None else checks.read_person(number, place, text)
            for place, text in enumerate(texts)
        ]
        names = self._read_names(number, seats)
        games = self._games(seats, "games_played", 1)
        mahjongs = self._games(seats, "mahjongs", 0)
        (wall_games,) = self._games([played], "wall_games", 0)
        checks.check_table(number, people, names, is_whole=is_table and None not in people)
        if is_table:
            checks.check_games(number, games, mahjongs, wall_games)
        points = self._read_points_centi(number, seats)
        if not self.finds_nothing_wrong or wall_games is None or games[0] is None:
            return None
        checked = _seats_of(people, texts, mahjongs, points, names)
        return CheckedRound(checked, games[0], wall_games, ref)

    def _read_names(self, number: int, seats: Sequence[dict[str, Any]]) -> Sequence[str | None]:
        sent = [seat.get("name") for seat in seats]
        if sent.count(None) == len(sent):  # Nearly always.
            return sent
        texts = [None if each is None else self._text(each, TEXT_CHARACTERS_MAX) for each in sent]
        return [
            None if text is None else self._checks.read_name(number, place, text)
            for place, text in enumerate(texts)
        ]

    def _read_points_centi(self, number: int, seats: Sequence[dict[str, Any]]) -> Sequence[int]:
        """Return the points of all seats: 0 where points don't count and may be any numbers."""
        read = []
        for place, seat in enumerate(seats):
            points, centi = seat.get("points"), 0
            if points is not None and type(points) not in _NUMBERS:
                self.is_well_formed = False
            elif self._has_points and seat is not _NOTHING:
                centi = self._checks.read_points_centi(number, place, points)
            elif points is not None and is_odd_number(points):
                self.is_well_formed = False
            read.append(centi)
        return read

    def _games(
        self, nodes: Sequence[dict[str, Any]], name: str, least: int
    ) -> Sequence[int | None]:
        """Return the numbers of games in a field, even a 0 where that is too few."""
        sent = [node.get(name) for node in nodes]
        for each in sent:
            if type(each) is not int or not least <= each <= GAMES_MAX:
                self.is_well_formed = False
                return [_games_or_none(value) for value in sent]
        return sent

    def _object(self, value: object, fields: frozenset[str]) -> dict[str, Any]:
        if type(value) is not dict:
            self.is_well_formed = False
            return _NOTHING
        self.is_well_formed &= fields.issuperset(value)
        return value

    def _text_or_none(self, node: dict[str, Any], name: str, characters_max: int) -> str | None:
        value = node.get(name)
        return None if value is None else self._text(value, characters_max)

    def _text(self, value: object, characters_max: int) -> str | None:
        """Return a text, even one that is too long for its place. The rules can still check it."""
        if type(value) is str and len(value) <= characters_max:
            return value
        self.is_well_formed = False
        return value if isinstance(value, str) and len(value) <= TEXT_CHARACTERS_MAX else None


def _seats_of(
    people: Sequence[Any],
    texts: Sequence[Any],
    mahjongs: Sequence[Any],
    points: Sequence[int],
    names: Sequence[str | None],
) -> tuple[CheckedSeat, ...]:
    """Return the seats of a round that has no mistakes, so that no text or number is None.

    Only someone with an address can ever claim a profile, so only their names are kept.
    """
    if names.count(None) < len(names):
        told = zip(people, names, strict=True)
        names = [name if person.kind == "person" else None for person, name in told]
    return tuple(map(CheckedSeat, people, texts, mahjongs, points, names))


def _games_or_none(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= GAMES_MAX else None
