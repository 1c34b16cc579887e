"""Decides what a fact about now means for the ratings: one fact in, one verdict out.

Pure: the state is only read, and `State.evolve` applies the verdict afterward. Facts about the past
are handled by correct.py. Spec: docs/rating.md.
"""

from services.rater.state import State
from shared.events.facts import SessionSubmitted
from shared.events.verdicts import FactNoted, FactRefused, VerdictEvent
from shared.replay.chronicle import FactAboutNow
from shared.replay.possible import ImpossibleFact
from shared.replay.session_rating import rate_session


def decide(state: State, event: FactAboutNow) -> VerdictEvent:
    """Return the verdict on a fact.

    An impossible fact (ingest lets none in) is refused and moves no one: a session whose numbers
    do not add up, or the verification of someone who is not a known person. Raises
    UnknownFormula or FormulaDiffers when the log adopts a formula that this program does not have.
    """
    try:
        state.chronicle.check(event)
    except ImpossibleFact as error:
        return FactRefused(error.reason, error.session_id)
    if isinstance(event, SessionSubmitted):
        assert state.formula is not None, "The first record of every log adopts a formula."
        return rate_session(event, state.formula, state.standing, state.chronicle.read_as)
    return FactNoted(event.TYPE, event.to_json())
