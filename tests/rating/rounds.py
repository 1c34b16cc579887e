"""Rounds to test with: a builder for tables, and what hypothesis may draw for seats and rules."""

from collections.abc import Sequence

from hypothesis import strategies as st

from shared.rating.formula import Seat
from shared.rating.parameters import Parameters
from shared.rating.registry import FORMULAS, MAHJIC_ELO_1

POINTS_CENTI_MAX = 100_000_000  # A claim allows points within -1,000,000.00 to 1,000,000.00.

ratings_centi = st.one_of(
    st.integers(50_000, 250_000),
    st.integers(-1_000_000_000, 1_000_000_000),
)
games = st.one_of(st.sampled_from((0, 29, 30, 100, 101)), st.integers(0, 10_000_000))
mahjongs = st.integers(0, 200)
points_centi = st.one_of(
    st.integers(-40_000, 40_000),
    st.integers(-POINTS_CENTI_MAX, POINTS_CENTI_MAX),
)
seats = st.builds(Seat, ratings_centi, games, mahjongs, points_centi)
tables = st.lists(seats, min_size=2, max_size=4)
k_bands = st.lists(
    st.tuples(st.one_of(st.integers(1, 300), st.integers(1, 10**9)), st.integers(1, 1_000)),
    max_size=5,
    unique_by=lambda band: band[0],
).flatmap(lambda later: st.integers(1, 1_000).map(lambda k: ((0, k), *sorted(later))))
made_up_rules = st.builds(
    Parameters,
    scale_centi=st.sampled_from((1_000, 7_919, 40_000, 50_001)),  # A table takes a while.
    k_bands=k_bands,
    points_per_bonus_point=st.sampled_from((1, 2, 50, 64, 78_125, 10_000_000)),
    bonus_max_nano=st.one_of(
        st.integers(0, 10**12), st.integers(0, 10_000).map(lambda halves: halves * 5_000_000)
    ),
    is_scaled=st.booleans(),
)
rules = st.one_of(st.sampled_from([formula.rules for formula in FORMULAS]), made_up_rules)


def a_seat(
    rating_centi: int = 150_000, games: int = 0, mahjongs: int = 0, points_centi: int = 0
) -> Seat:
    return Seat(rating_centi, games, mahjongs, points_centi)


def changes(table: Sequence[Seat], *, points_count: bool = False) -> tuple[int, ...]:
    return MAHJIC_ELO_1.rate_round(table, points_count=points_count)
