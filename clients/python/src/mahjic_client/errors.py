"""What can go wrong with a request, as classes: refused for a reason, or never answered."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Mistake(NamedTuple):
    """One thing to correct: where it stands as a JSON pointer, its code, and a sentence."""

    pointer: str
    code: str
    message: str


class MahjicError(Exception):
    """A request to Mahjic that did not do what it was sent for."""


class NoAnswer(MahjicError):
    """No answer came, however often it was tried. Sending it again with `key` is safe."""

    def __init__(self, why: str, key: str | None) -> None:
        super().__init__(f"Mahjic does not answer: {why}.")
        self.key = key


class Refused(MahjicError):
    """Mahjic refused the request. `code` never changes; `mistakes` lists all there are."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.code = _text(problem.get("code"))
        self.mistakes = _mistakes(problem.get("errors"))
        told = _text(problem.get("detail")) or f"Mahjic answered with status {status}."
        super().__init__("\n".join([told, *(f"{at}: {words}" for at, _, words in self.mistakes)]))


def _mistakes(listed: object) -> tuple[Mistake, ...]:
    """Return the mistakes in a list. What stands on the way may answer in a shape of its own."""
    told = []
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            mistake = Mistake(*(_text(each.get(name)) for name in Mistake._fields))
            if mistake.code and mistake.message:
                told.append(mistake)
    return tuple(told)


def _text(told: object) -> str:
    return told if isinstance(told, str) else ""


class BadRequest(Refused):
    """400, 413, 415 or 422: correct what is listed, and send it again."""


class NotAllowed(Refused):
    """401 or 403: the key is missing, wrong, or not for this."""


class NotFound(Refused):
    """404: it does not exist, or not for this key."""


class Conflict(Refused):
    """409: it does not fit what is on record."""


class Gone(Refused):
    """410: events as old as that are not kept. The message says from which number on to read."""


class TooBusy(Refused):
    """408, 429 or 5xx, however often it was tried."""


def refusal(status: int, problem: Mapping[str, Any]) -> Refused:
    """Return the error of an answer, by its status."""
    kinds: dict[int, type[Refused]] = {
        401: NotAllowed,
        403: NotAllowed,
        404: NotFound,
        408: TooBusy,
        409: Conflict,
        410: Gone,
        429: TooBusy,
    }
    return kinds.get(status, TooBusy if status >= 500 else BadRequest)(status, problem)
