"""What a batch answers to each of its lines."""

from typing import TypedDict

from mahjic_client.shapes import Problem, SessionAnswer, TrialAnswer


class _LineAnswer(TypedDict):
    """What is always in LineAnswer."""

    line: int
    status: int


class LineAnswer(_LineAnswer, total=False):
    """The answer to a line, counting from 1: its `session`, or the `problem` with it.

    `replayed` says that the session was on record before. With `dry_run`, nothing is.
    """

    replayed: bool
    session: SessionAnswer | TrialAnswer
    problem: Problem
