"""Scoring For Non-Winner Hands, line by line in the words of the rule book."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.scoring.wright_patterson.hands import Hand, Ready, read_hand
from shared.scoring.wright_patterson.tiles import Wind
from shared.scoring.wright_patterson.value import HandValue, nearest_ten, value_of

E, S, W, N = Wind
TEN = "13579d 24689b"  # Ten tiles that make no set and no pair.


def value(
    tiles: str, *, seat: Wind = S, prevailing: Wind = W, ready: Ready = Ready.NO
) -> HandValue:
    return value_of(read_hand(tiles.split(), ready), seat, prevailing)


def points(tiles: str, seat: Wind = S, prevailing: Wind = W) -> dict[str, int]:
    return {
        line.what: line.number for line in value(tiles, seat=seat, prevailing=prevailing).points
    }


def doubles(
    tiles: str, *, seat: Wind = S, prevailing: Wind = W, ready: Ready = Ready.NO
) -> dict[str, int]:
    counted = value(tiles, seat=seat, prevailing=prevailing, ready=ready).doubles
    return {line.what: line.number for line in counted}


# "Pung of 2-8 tiles: 4 points each. Pung of terminals/honors: 8 points each. Kong of 2-8 tiles: 16
# points each. Kong of terminals/honors: 32 points each. For Pungs and Kongs, this point amount is
# halved if the Pung/Kong is open (formed via call)."
@pytest.mark.parametrize(
    ("tiles", "line", "expected"),
    [
        ("222c", "concealed Pung of 2c", 4),
        ("888c", "concealed Pung of 8c", 4),
        ("111c", "concealed Pung of 1c", 8),
        ("999c", "concealed Pung of 9c", 8),
        ("NNN", "concealed Pung of N", 8),
        ("GGG", "concealed Pung of G", 8),
        ("[222c]", "open Pung of 2c", 2),
        ("[999c]", "open Pung of 9c", 4),
        ("[EEE]", "open Pung of E", 4),
        ("(2222c)", "concealed Kong of 2c", 16),
        ("(1111c)", "concealed Kong of 1c", 32),
        ("(RRRR)", "concealed Kong of R", 32),
        ("[8888c]", "open Kong of 8c", 8),
        ("[1111c]", "open Kong of 1c", 16),
        ("[PPPP]", "open Kong of P", 16),
        ("[222c+2c]", "added Kong of 2c", 8),
        ("[NNN+N]", "added Kong of N", 16),
    ],
)
def test_pungs_and_kongs_have_points(tiles: str, line: str, expected: int) -> None:
    assert points(f"{TEN} {tiles}") == {line: expected}


# "Concealed triplets and undeclared Kongs are all considered Concealed Pungs, even if a player is
# Ready for a hand that would group these tiles differently."
@pytest.mark.parametrize(
    "tiles",
    [
        pytest.param("5555c 13579d 2468b", id="an undeclared Kong"),
        pytest.param("44555c 6c 179d 2468b", id="a triplet that could be part of Chows"),
    ],
)
def test_what_is_three_times_in_the_hand_is_a_concealed_pung(tiles: str) -> None:
    assert points(tiles) == {"concealed Pung of 5c": 4}


def test_an_undeclared_kong_of_honors_is_a_concealed_pung_too() -> None:
    assert points("RRRR 13579d 2468b") == {"concealed Pung of R": 8}


# "Pair of dragons, seat wind, or prevailing wind: 2 points each. (A pair that is both seat wind and
# prevailing wind scores 4 points.)"
@pytest.mark.parametrize(
    ("tiles", "seat", "prevailing", "expected"),
    [
        pytest.param("RR", S, W, {"pair of R": 2}, id="dragons"),
        pytest.param("SS", S, W, {"pair of S": 2}, id="seat wind"),
        pytest.param("WW", S, W, {"pair of W": 2}, id="prevailing wind"),
        pytest.param("WW", W, W, {"pair of W": 4}, id="both"),
        pytest.param("EE", S, W, {}, id="another wind"),
        pytest.param("11c", S, W, {}, id="pairs of other tiles: 0"),
    ],
)
def test_a_pair_has_points(
    tiles: str, seat: Wind, prevailing: Wind, expected: dict[str, int]
) -> None:
    assert points(f"{TEN} {tiles} 7c", seat, prevailing) == expected


def test_pairs_have_points_each() -> None:
    assert points("RR GG SS WW 1357d 4b") == {
        "pair of S": 2,
        "pair of W": 2,
        "pair of R": 2,
        "pair of G": 2,
    }


def test_three_of_a_tile_are_a_pung_and_no_pair() -> None:
    assert points(f"{TEN} RRR") == {"concealed Pung of R": 8}


# The rule book: "Flower not in a bouquet: 4 points each."
def test_flowers_and_seasons_have_points_each() -> None:
    assert points(f"{TEN} 123c 13f 3s") == {"flower 1f": 4, "flower 3f": 4, "flower 3s": 4}


# The rule book: "Any other tiles (e.g. Chows, mixed Chows, singles, pairs of other tiles): 0
# points."
@pytest.mark.parametrize("tiles", ["123c", "[123c]", "[1c2d3b]", "12c N", "77c 8c"])
def test_any_other_tiles_have_no_points(tiles: str) -> None:
    assert points(f"{TEN} {tiles}") == {}


# "If a hand totals 2 points at this stage, it instead scores 0."
@pytest.mark.parametrize(
    ("tiles", "base"),
    [
        pytest.param(f"{TEN} RR 5c", 0, id="2 points: one pair"),
        pytest.param(f"{TEN} [555c]", 0, id="2 points: one open Pung"),
        pytest.param("RR GG 13579d 2468b", 4, id="4 points: two pairs"),
        pytest.param(f"{TEN} 555c", 4, id="4 points: one Pung"),
        pytest.param("[555c] RR 13579d 246b", 4, id="4 points: 2 and 2"),
        pytest.param(f"{TEN} 123c", 0, id="no points"),
    ],
)
def test_a_hand_of_2_points_scores_0(tiles: str, base: int) -> None:
    assert value(tiles).base == base


def test_a_hand_of_2_points_scores_0_whatever_its_doubles() -> None:
    # Half-Flush and Ready on Triple Limit Hand: 2 x 16 would be 32.
    hand = value("[555c] 1346789c 1c E N", ready=Ready.TRIPLE_LIMIT)
    assert sum(line.number for line in hand.doubles) == 4
    assert (hand.base, hand.score) == (0, 0)


# The rule book: "Own/Prevailing Flower, not in a bouquet: 1 double each."
@pytest.mark.parametrize(
    ("flowers", "seat", "prevailing", "expected"),
    [
        pytest.param("2f", S, W, {"Own/Prevailing Flower 2f": 1}, id="own flower"),
        pytest.param("2s", S, W, {"Own/Prevailing Flower 2s": 1}, id="own season"),
        pytest.param("3f", S, W, {"Own/Prevailing Flower 3f": 1}, id="prevailing flower"),
        pytest.param("3s", S, W, {"Own/Prevailing Flower 3s": 1}, id="prevailing season"),
        pytest.param("1f 4s", S, W, {}, id="neither"),
        pytest.param("3f", W, W, {"Own/Prevailing Flower 3f": 2}, id="own and prevailing"),
        pytest.param(
            "23f 2s",
            S,
            W,
            {
                "Own/Prevailing Flower 2f": 1,
                "Own/Prevailing Flower 3f": 1,
                "Own/Prevailing Flower 2s": 1,
            },
            id="each",
        ),
        pytest.param("1f", E, N, {"Own/Prevailing Flower 1f": 1}, id="1 is East's"),
        pytest.param("4s", N, E, {"Own/Prevailing Flower 4s": 1}, id="4 is North's"),
    ],
)
def test_own_and_prevailing_flowers_double(
    flowers: str, seat: Wind, prevailing: Wind, expected: dict[str, int]
) -> None:
    assert doubles(f"{TEN} 123c {flowers}", seat=seat, prevailing=prevailing) == expected


# The rule book: "Triplet of dragons, seat wind, or prevailing wind: 1 double each."
@pytest.mark.parametrize(
    ("tiles", "seat", "expected"),
    [
        pytest.param("RRR", S, {"Triplet of R": 1}, id="dragons"),
        pytest.param("[RRR]", S, {"Triplet of R": 1}, id="called"),
        pytest.param("(RRRR)", S, {"Triplet of R": 1}, id="a Kong"),
        pytest.param("[RRR+R]", S, {"Triplet of R": 1}, id="an added Kong"),
        pytest.param("SSS", S, {"Triplet of S": 1}, id="seat wind"),
        pytest.param("[WWW]", S, {"Triplet of W": 1}, id="prevailing wind"),
        pytest.param("WWW", W, {"Triplet of W": 2}, id="seat wind and prevailing wind"),
        pytest.param("EEE", S, {}, id="another wind"),
    ],
)
def test_triplets_of_valued_honors_double(tiles: str, seat: Wind, expected: dict[str, int]) -> None:
    assert doubles(f"{TEN} {tiles}", seat=seat) == expected


def test_triplets_double_each() -> None:
    assert doubles("[RRR] [SSS] [WWW] 13d 24b", seat=S, prevailing=W) == {
        "Triplet of R": 1,
        "Triplet of S": 1,
        "Triplet of W": 1,
    }


# "Little Three Dragons: 3 doubles. / Big Three Dragons: 4 doubles", indented below it: not both.
# The triplets themselves stand above on a line of their own, so they double besides.
@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        pytest.param("[RRR] [GGG] PP", "Little Three Dragons", id="two triplets and a pair"),
        pytest.param("(RRRR) [GGG+G] PP", "Little Three Dragons", id="Kongs"),
        pytest.param("[RRR] [GGG] P N", None, id="a single one is no pair"),
        pytest.param("[RRR] GG PP N", None, id="one triplet and two pairs"),
    ],
)
def test_little_three_dragons_are_3_doubles(tiles: str, expected: str | None) -> None:
    found = doubles(f"{tiles} 1357d 4b" if tiles.count("N") == 0 else f"{tiles} 135d 4b 8c")
    found = {what: number for what, number in found.items() if not what.startswith("Triplet")}
    assert found == ({} if expected is None else {expected: 3})


def test_big_three_dragons_are_4_doubles_and_not_little_ones_too() -> None:
    assert doubles("[RRR] [GGG] [PPP] 13d 24b") == {
        "Triplet of R": 1,
        "Triplet of G": 1,
        "Triplet of P": 1,
        "Big Three Dragons": 4,
    }


# "Half-Flush: 1 double / Full Flush: 3 doubles", indented below it: not both.
@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        pytest.param("123456789c ESWN", {"Half-Flush": 1}, id="one suit and honors"),
        pytest.param("[123c] [456c] 1289c E N G", {"Half-Flush": 1}, id="partly called"),
        pytest.param("1123456789c 246c", {"Full Flush": 3}, id="one suit"),
        pytest.param("[1111c] 23456789c 23c", {"Full Flush": 3}, id="one suit with a Kong"),
        pytest.param("123456789c ESW 1d", {}, id="two suits"),
        pytest.param("123456789c ESWN 1f", {"Half-Flush": 1}, id="flowers lie beside"),
    ],
)
def test_flushes_double_and_a_full_one_is_no_half_one(tiles: str, expected: dict[str, int]) -> None:
    assert doubles(tiles) == expected


# "Terminals and Honours: 1 double / All Honors: 3 doubles (does not stack with Half-Flush) / All
# Terminals: 3 doubles", both indented below it.
@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        pytest.param("19c 19d 19b ESWN RGP", {"Terminals and Honours": 1}, id="both"),
        pytest.param("19c 19d 19b ESWN RG 8c", {}, id="an eight"),
        pytest.param("EE SS WW NN RR GG P", {"All Honors": 3}, id="no Half-Flush, no T. and H."),
        pytest.param("1199c 1199d 1199b 1c", {"All Terminals": 3}, id="no T. and H. besides"),
        pytest.param(
            "1199c EE SS WW NN R",
            {"Half-Flush": 1, "Terminals and Honours": 1},
            id="lines of their own: both",
        ),
        pytest.param("[123c] 19d 19b ESWN RG", {}, id="a Chow has a two"),
    ],
)
def test_terminals_and_honors_double_and_all_of_one_kind_more(
    tiles: str, expected: dict[str, int]
) -> None:
    found = doubles(tiles)
    assert {what: found[what] for what in found if "Concealed" not in what} == expected


# "Three Concealed Pungs: 1 double / Four Concealed Pungs: 2 doubles", indented: not both. "Open
# Kongs count as Concealed Pungs", and so do triplets and undeclared Kongs.
@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        pytest.param("222c 444d 1357b 13d 9c", {}, id="two"),
        pytest.param("222c 444d 666b 1357b", {"Three Concealed Pungs": 1}, id="three"),
        pytest.param("222c 444d 666b 888d 5b", {"Four Concealed Pungs": 2}, id="four"),
        pytest.param("222c 444d (6666b) 1357b", {"Three Concealed Pungs": 1}, id="concealed Kong"),
        pytest.param("222c 444d 6666b 135b", {"Three Concealed Pungs": 1}, id="undeclared Kong"),
        pytest.param("222c 444d [6666b] 1357b", {"Three Concealed Pungs": 1}, id="open Kong"),
        pytest.param(
            "[2222c] [4444d] [6666b] [8888d] 5b", {"Four Concealed Pungs": 2}, id="4 open"
        ),
        pytest.param("222c 444d [666b] 1357b", {}, id="an open Pung does not count"),
        pytest.param("222c 444d [666b+6b] 1357b", {}, id="an added Kong was an open Pung"),
        pytest.param("222c 444d 666b [888d] 5b", {"Three Concealed Pungs": 1}, id="three of four"),
    ],
)
def test_concealed_pungs_double(tiles: str, expected: dict[str, int]) -> None:
    assert doubles(tiles) == expected


# "Ready on Limit Hand: 1 double / Ready on Double Limit Hand: 2 doubles / Ready on Triple Limit
# Hand: 3 doubles", each indented below the one before: not two of them.
@pytest.mark.parametrize(
    ("ready", "expected"),
    [
        (Ready.NO, {}),
        (Ready.LIMIT, {"Ready on Limit Hand": 1}),
        (Ready.DOUBLE_LIMIT, {"Ready on Double Limit Hand": 2}),
        (Ready.TRIPLE_LIMIT, {"Ready on Triple Limit Hand": 3}),
    ],
)
def test_being_ready_on_a_limit_hand_doubles(ready: Ready, expected: dict[str, int]) -> None:
    assert doubles(f"{TEN} 123c", ready=ready) == expected


# "Doubling the points that many times, then rounding up or down to the nearest 10."
@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, 0), (4, 0), (5, 10), (6, 10), (14, 10), (15, 20), (16, 20), (20, 20), (1024, 1020)],
)
def test_a_score_is_rounded_to_10_and_5_goes_upward(number: int, expected: int) -> None:
    assert nearest_ten(number) == expected


@pytest.mark.parametrize(
    ("tiles", "seat", "base", "doubled", "score"),
    [
        pytest.param(f"{TEN} 222c", S, 4, 0, 0, id="4 is nearer to 0"),
        pytest.param("RR GG SS 135d 2468b", S, 6, 0, 10, id="6 is nearer to 10"),
        pytest.param("222c [RRR] 1357d 246b", S, 8, 1, 20, id="8 x 2 = 16"),
        # 8 + 8 + 8 + 2 points. Triplets 3, Little Three Dragons 3, Half-Flush 1, Terminals and
        # Honours 1, Three Concealed Pungs 1: 9 doubles.
        pytest.param("RRR GGG SSS PP 19c", S, 26, 9, 13_310, id="26 x 512 = 13,312"),
        # East's own flower 4, and one double: East's own score is not doubled again.
        pytest.param(f"{TEN} 123c 1f", E, 4, 1, 10, id="4 x 2 = 8, for East"),
    ],
)
def test_the_points_are_doubled_then_rounded(
    *, tiles: str, seat: Wind, base: int, doubled: int, score: int
) -> None:
    hand = value(tiles, seat=seat)
    assert (hand.base, sum(line.number for line in hand.doubles)) == (base, doubled)
    assert hand.score == score


@given(
    st.permutations(["222c", "[333c]", "(EEEE)", "13d RR"]),
    st.sampled_from(Wind),
    st.sampled_from(Wind),
)
def test_a_score_does_not_depend_on_the_order_of_the_tiles(
    words: list[str], seat: Wind, prevailing: Wind
) -> None:
    written = value_of(read_hand(" ".join(words).split()), seat, prevailing)
    turned: Hand = read_hand(reversed(" ".join(words).split()))
    assert value_of(turned, seat, prevailing).score == written.score
