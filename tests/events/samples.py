"""What hypothesis may draw for events: everything that the log may hold, and no more."""

from hypothesis import strategies as st

from shared.events.facts import (
    GAME_TYPES,
    REASONS,
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.verdicts import (
    Answers,
    FactNoted,
    FactRefused,
    RatedRound,
    RatingsCorrected,
    ReseatedSession,
    SessionRated,
    VerdictEvent,
)

INT64_MAX = 2**63 - 1

texts = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=200)
wholes = st.integers(-INT64_MAX - 1, INT64_MAX)
dates = st.dates().map(lambda day: day.isoformat())
times = st.datetimes().map(lambda moment: moment.isoformat(timespec="microseconds") + "Z")
json_values = st.recursive(
    st.none() | st.booleans() | wholes | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(texts, json_values, max_size=4)


@st.composite
def played_rounds(draw: st.DrawFn) -> PlayedRound:
    seats = draw(st.integers(0, 4))
    column = st.tuples(*[wholes] * seats)
    return PlayedRound(
        games_played=draw(wholes),
        wall_games=draw(wholes),
        players=draw(st.tuples(*[texts] * seats)),
        mahjongs=draw(column),
        points_centi=draw(st.none() | column),
    )


@st.composite
def rated_rounds(draw: st.DrawFn) -> RatedRound:
    played = draw(played_rounds())
    seats = len(played.players)
    rated = RatedRound(
        played.games_played,
        played.wall_games,
        played.players,
        played.mahjongs,
        played.points_centi,
        *[draw(st.tuples(*[wholes] * seats)) for _ in range(9)],
    )
    return rated._replace(played_as=draw(st.none() | st.tuples(*[texts] * seats)))


@st.composite
def corrections(draw: st.DrawFn) -> RatingsCorrected:
    players = draw(st.integers(0, 4))
    columns = [draw(st.tuples(*[wholes] * players)) for _ in range(8)]
    return RatingsCorrected(
        draw(texts),
        draw(json_objects),
        draw(st.none() | rated_sessions),
        draw(wholes),
        draw(st.tuples(*[texts] * players)),
        *columns,
        reseated=draw(st.none() | st.lists(reseated_sessions(), max_size=3).map(tuple)),
    )


@st.composite
def reseated_sessions(draw: st.DrawFn) -> ReseatedSession:
    seats = draw(st.integers(0, 3))
    return ReseatedSession(
        draw(texts),
        *[draw(st.tuples(*[wholes] * seats)) for _ in range(2)],
        *[draw(st.tuples(*[texts] * seats)) for _ in range(2)],
        *[draw(st.tuples(*[wholes] * seats)) for _ in range(2)],
        *[draw(tuples_of(texts)) for _ in range(2)],
    )


def tuples_of(items: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(items, max_size=3).map(tuple)


submitted_sessions = st.builds(
    SessionSubmitted,
    session_id=texts,
    source=texts,
    session_date=dates,
    game_type=st.sampled_from(GAME_TYPES),
    rounds=tuples_of(played_rounds()),
    new_players=tuples_of(texts),
)
rated_sessions = st.builds(
    SessionRated,
    session_id=texts,
    source=texts,
    session_date=dates,
    game_type=st.sampled_from(GAME_TYPES),
    rounds=tuples_of(rated_rounds()),
    new_players=tuples_of(texts),
)
fact_events: st.SearchStrategy[FactEvent] = st.one_of(
    submitted_sessions,
    st.builds(SessionsVoided, tuples_of(texts), st.sampled_from(REASONS)),
    st.builds(SessionCorrected, texts, st.sampled_from(REASONS), submitted_sessions),
    st.builds(PlayerVerified, texts),
    st.builds(PlayerVerificationEnded, texts),
    st.builds(PlayersMerged, texts, texts),
    st.builds(PlayersUnmerged, texts, texts),
    st.builds(SeatsReassigned, texts, texts, tuples_of(texts)),
    st.builds(FormulaAdopted, texts, json_objects, proposal=st.none() | texts),
    st.builds(FormulaAdoptedFromBeginning, texts, json_objects, proposal=st.none() | texts),
)

verdict_events: st.SearchStrategy[VerdictEvent] = st.one_of(
    rated_sessions,
    corrections(),
    st.builds(FactNoted, texts, json_objects),
    st.builds(FactRefused, texts, st.none() | texts),
)

answers = st.builds(
    Answers,
    fact_seq=wholes,
    fact_chain=st.binary(min_size=32, max_size=32),
    part=wholes,
    parts=wholes,
    formula=texts,
    engine=texts,
)
