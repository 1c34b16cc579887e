"""The loop of the kernel: docs/rating.md over columns, one round after the other.

It is plain Python that numba can compile, so both ways are one text. It sees columns by index and
whole numbers only: numpy arrays when compiled, memoryviews of the same memory when not.
"""

from typing import Any, Final, NamedTuple, TypeAlias

Column: TypeAlias = Any  # An array of numpy, or a memoryview of it.

WIN_NANO: Final = 1_000_000_000
TIE_NANO: Final = 500_000_000
NANO_PER_CENTI: Final = 10_000_000

RATING: Final = 0  # The columns of the standings: two for each pool.
GAMES: Final = 1
VERIFIED: Final = 2  # To be added for the verified pool.

RATING_BEFORE: Final = 0  # The columns of the record: four for each pool.
GAMES_BEFORE: Final = 1
RATING_CHANGE: Final = 2
GAMES_AFTER: Final = 3
RECORDED: Final = 4  # To be added for the verified pool.

PLAYER: Final = 0  # The rows of a table at which one pool of one round sits.
OWN_RATING: Final = 1
OWN_GAMES: Final = 2
MAHJONGS: Final = 3
POINTS: Final = 4
K: Final = 5
CHANGE: Final = 6
TABLE_ROWS: Final = 7


class RoundColumns(NamedTuple):
    """One row a round, as in columns.Rounds."""

    players: Column
    mahjongs: Column
    points_centi: Column
    games_played: Column
    seats: Column
    points_count: Column


class SessionColumns(NamedTuple):
    """One row a session, as in columns.Sessions."""

    place: Column
    round_from: Column
    round_to: Column


class EventColumns(NamedTuple):
    """One row an event, as in columns.Events."""

    place: Column
    player: Column
    is_verified: Column


class StandingColumns(NamedTuple):
    """One row a player, as in columns.Standings."""

    numbers: Column
    is_verified: Column
    verified_members: Column


class RuleColumns(NamedTuple):
    """A formula: its table of expected scores, its bands of K, and how points count."""

    expected_nano: Column
    k_games_min: Column
    k: Column
    bonus_nano_per_centi: int
    bonus_max_nano: int
    is_scaled: bool


class RecordColumns(NamedTuple):
    """One row a round that was rated, as in columns.Record."""

    numbers: Column
    is_verified: Column


def replay(  # noqa: PLR0917 -- Compiled code knows no keywords.
    rounds: RoundColumns,
    sessions: SessionColumns,
    session_from: int,
    session_to: int,
    events: EventColumns,
    event_from: int,
    survivor: Column,
    standings: StandingColumns,
    rules: RuleColumns,
    record: RecordColumns,
    table: Column,
    verified: Column,
) -> int:
    """Rate the sessions in their order, and return the first event that was not yet in force.

    Nothing is recorded into a record without rows. Columns have names of their own in here
    because compiled code takes each field out of its tuple again.
    """
    players, mahjongs, points_centi, games_played, seats, points_count = rounds
    place, round_from, round_to = sessions
    numbers, _, verified_members = standings
    is_recorded = len(record.numbers) > 0
    event = event_from
    row = 0
    for session in range(session_from, session_to):
        event = apply_events(events, event, place[session], survivor, standings)
        for played in range(round_from[session], round_to[session]):
            if is_recorded:
                record_before(row, played, rounds, survivor, standings, record)
            seated = 0
            among = 0
            for seat in range(seats[played]):
                player = survivor[players[played, seat]]
                sit(table, seated, player, numbers, 0)
                table[MAHJONGS, seated] = mahjongs[played, seat]
                table[POINTS, seated] = points_centi[played, seat]
                seated += 1
                sit(verified, among, player, numbers, VERIFIED)
                verified[MAHJONGS, among] = mahjongs[played, seat]
                verified[POINTS, among] = points_centi[played, seat]
                among += int(player != 0) & int(verified_members[player] > 0)
            rate_table(table, seated, points_count[played], rules)
            move(table, seated, games_played[played], numbers, 0)
            if among >= 2:
                rate_table(verified, among, points_count[played], rules)
                move(verified, among, games_played[played], numbers, VERIFIED)
            if is_recorded:
                record_after(row, played, rounds, survivor, standings, record)
            row += 1
    return event


def apply_events(
    events: EventColumns, event_from: int, place: int, survivor: Column, standings: StandingColumns
) -> int:
    """Apply the events before a place, and return the first later one."""
    event = event_from
    while event < len(events.place) and events.place[event] < place:
        player = events.player[event]
        standings.verified_members[survivor[player]] += int(events.is_verified[event]) - int(
            standings.is_verified[player]
        )
        standings.is_verified[player] = events.is_verified[event]
        event += 1
    return event


def sit(table: Column, seat: int, player: int, numbers: Column, pool: int) -> None:
    """Seat a player with the standing in the pool whose columns begin at `pool`."""
    table[PLAYER, seat] = player
    table[OWN_RATING, seat] = numbers[player, pool + RATING]
    table[OWN_GAMES, seat] = numbers[player, pool + GAMES]


def move(table: Column, seated: int, games_played: int, numbers: Column, pool: int) -> None:
    """Give everyone at the table except Bob the change and the games."""
    for seat in range(seated):
        player = table[PLAYER, seat]
        if player != 0:
            numbers[player, pool + RATING] += table[CHANGE, seat]
            numbers[player, pool + GAMES] += games_played


def rate_table(table: Column, seated: int, points_count: int, rules: RuleColumns) -> None:
    """Write each seat's change in centi, everyone compared with everyone else once.

    What one of a pair expects, scores and gains for points is what the other does not.
    """
    expected, games_min, k_of_band, bonus_nano_per_centi, bonus_max_nano, is_scaled = rules
    worth_nano = bonus_nano_per_centi * int(points_count)
    for one in range(seated):
        table[CHANGE, one] = 0
        table[K, one] = k_factor(table[OWN_GAMES, one], games_min, k_of_band)
    for one in range(seated - 1):
        for other in range(one + 1, seated):
            surprise_nano = score_nano(table[MAHJONGS, one] - table[MAHJONGS, other])
            surprise_nano -= expected_nano(
                table[OWN_RATING, one] - table[OWN_RATING, other], expected
            )
            lead_centi = table[POINTS, one] - table[POINTS, other]
            bonus_nano = clamped(lead_centi * worth_nano, bonus_max_nano)
            table[CHANGE, one] += table[K, one] * surprise_nano + bonus_nano
            table[CHANGE, other] -= table[K, other] * surprise_nano + bonus_nano
    for one in range(seated):
        if is_scaled:
            table[CHANGE, one] = divided(table[CHANGE, one], NANO_PER_CENTI * (seated - 1))
        else:
            table[CHANGE, one] = divided(table[CHANGE, one], NANO_PER_CENTI)


def k_factor(games: int, games_min: Column, k_of_band: Column) -> int:
    """Return the K of the last band that begins at or below this many games."""
    k: int = k_of_band[0]
    for band in range(1, len(k_of_band)):
        if games >= games_min[band]:
            k = k_of_band[band]
    return k


def score_nano(mahjongs_ahead: int) -> int:
    """Return one win for the higher win rate, half for an equal one, nothing for a lower one."""
    return TIE_NANO * (int(mahjongs_ahead > 0) + int(mahjongs_ahead >= 0))


def expected_nano(ahead_centi: int, expected: Column) -> int:
    """Return the expected score from the table, whose last entry is a sure win."""
    score = int(expected[min(abs(ahead_centi), len(expected) - 1)])
    return WIN_NANO - score if ahead_centi < 0 else score


def clamped(bonus_nano: int, bonus_max_nano: int) -> int:
    """Return a bonus within its bounds either way."""
    return max(-bonus_max_nano, min(bonus_max_nano, bonus_nano))


def divided(sum_nano: int, divisor: int) -> int:
    """Return the nearest whole quotient; exactly between two, the even one."""
    quotient = sum_nano // divisor
    rest = sum_nano - quotient * divisor
    return quotient + int(rest + (quotient & 1) > divisor // 2)


def record_before(  # noqa: PLR0917
    row: int,
    played: int,
    rounds: RoundColumns,
    survivor: Column,
    standings: StandingColumns,
    record: RecordColumns,
) -> None:
    """Record everyone's standing before the round."""
    for seat in range(rounds.seats[played]):
        player = survivor[rounds.players[played, seat]]
        record.is_verified[row, seat] = player != 0 and standings.verified_members[player] > 0
        for pool in range(2):
            rating_centi = standings.numbers[player, VERIFIED * pool + RATING]
            games = standings.numbers[player, VERIFIED * pool + GAMES]
            record.numbers[row, seat, RECORDED * pool + RATING_BEFORE] = rating_centi
            record.numbers[row, seat, RECORDED * pool + GAMES_BEFORE] = games


def record_after(  # noqa: PLR0917
    row: int,
    played: int,
    rounds: RoundColumns,
    survivor: Column,
    standings: StandingColumns,
    record: RecordColumns,
) -> None:
    """Record how far everyone moved in the round."""
    for seat in range(rounds.seats[played]):
        player = survivor[rounds.players[played, seat]]
        for pool in range(2):
            rating_centi = standings.numbers[player, VERIFIED * pool + RATING]
            games = standings.numbers[player, VERIFIED * pool + GAMES]
            before_centi = record.numbers[row, seat, RECORDED * pool + RATING_BEFORE]
            record.numbers[row, seat, RECORDED * pool + RATING_CHANGE] = rating_centi - before_centi
            record.numbers[row, seat, RECORDED * pool + GAMES_AFTER] = games


HELPERS: Final = (
    apply_events,
    sit,
    move,
    rate_table,
    k_factor,
    score_nano,
    expected_nano,
    clamped,
    divided,
    record_before,
    record_after,
)
