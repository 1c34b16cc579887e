"""The answers that say what moved: to a submission, and to a change of the past."""

from shared.answers.sessions import SessionAnswer, SessionStatus
from shared.answers.shown import points, session_answer

__all__ = ["SessionAnswer", "SessionStatus", "points", "session_answer"]
