"""How a request comes to its answer: when to send it, how long to wait, and when to give up.

Nothing here sends or waits. The functions yield what is to be done, and are sent what came of it,
so that the client that blocks and the one that awaits share every decision.
"""

import email.utils
import json
import random
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from mahjic_client.errors import MahjicError, NoAnswer, refusal

T = TypeVar("T")

WORTH_ANOTHER_TRY: Final = frozenset({408, 429, 502, 503, 504})
# The first request with this key is still running, so its answer is on the way.
IN_PROGRESS: Final = "request_in_progress"
RECORDED_NOT_RATED: Final = 202
NOT_MAHJIC: Final = "The answer is not what Mahjic answers. Is this the address of Mahjic?"


@dataclass(frozen=True)
class Send:
    """Send this request, and come back with an Answer, or with a Lost."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


@dataclass(frozen=True)
class Wait:
    """Wait this long, and come back with None."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    """What came back: all of it, unless `is_cut` says that the connection broke on the way.

    Names of headers are in small letters. `moved_to` is the address to ask instead, if the answer
    names one on the same server.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    is_cut: bool = False
    moved_to: str | None = None


@dataclass(frozen=True)
class Lost:
    """The connection failed before an answer began."""

    why: str


Steps = Generator[Send | Wait, Answer | Lost | None, T]


@dataclass(frozen=True)
class Patience:
    """How often a request is tried, and how long is waited between the tries.

    All waits of a request together take `waits_s_max` at most: if Mahjic asks for a longer one, the
    request ends at once. `clock` gives the Unix time and `chance` a number from 0 to 1.
    """

    clock: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    tries_max: int = 8
    wait_s_first: float = 0.5
    wait_s_max: float = 60.0
    waits_s_max: float = 300.0

    def before(self, tries: int, answer: Answer | None) -> Wait:
        """Return the wait after so many tries: as asked for, or longer each time, with jitter."""
        asked_s = None if answer is None else retry_after_s(answer, self.clock())
        if asked_s is not None:
            return Wait(asked_s + self.wait_s_first * self.chance())
        longest_s = min(self.wait_s_max, self.wait_s_first * 2.0**tries)
        return Wait(longest_s * (0.5 + 0.5 * self.chance()))


def retry_after_s(answer: Answer, now: float) -> float | None:
    """Return how long an answer asks to wait, in seconds or by a date, or None."""
    text = answer.headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def answered(request: Send, patience: Patience) -> Steps[Answer]:
    """Send a request until it has an answer that another try would not change.

    Raises NoAnswer or Refused.
    """
    waited_s = 0.0
    for tries in range(patience.tries_max):
        came = yield request
        if isinstance(came, Answer) and came.status < 300 and not came.is_cut:
            return came
        is_last = tries + 1 == patience.tries_max
        if isinstance(came, Answer) and came.moved_to and not is_last:
            request = replace(request, path=came.moved_to, query={})
            continue
        wait = patience.before(tries, came if isinstance(came, Answer) else None)
        waited_s += wait.seconds
        if is_last or waited_s > patience.waits_s_max or not _is_worth_another_try(came):
            raise given_up(came, request.headers.get("idempotency-key"))
        yield wait
    raise AssertionError("The last try returns or raises.")


def settled(request: Send, patience: Patience) -> Steps[Answer]:
    """Send a request, and again for as long as the answer is that it is not rated yet.

    A request that is sent again gets the first answer, with the numbers of today. When the patience
    is at its end, the 202 itself is returned: the session counts, whatever comes.
    """
    waited_s = 0.0
    while True:
        answer = yield from answered(request, patience)
        wait = patience.before(0, answer)
        waited_s += wait.seconds
        if answer.status != RECORDED_NOT_RATED or waited_s > patience.waits_s_max:
            return answer
        yield wait


def batch(request: Send, lines: Iterable[bytes], patience: Patience) -> Steps[list[dict[str, Any]]]:
    """Send a slice of a batch, and what was not answered again, until each line has its answer.

    A line with status 503 is the last one answered, and was not recorded: it is sent again.
    Raises NoAnswer or Refused when one try after another brings nothing new, and MahjicError when
    what answers is not Mahjic.
    """
    ahead = list(lines)
    told: list[dict[str, Any]] = []
    tries, waited_s = 0, 0.0
    while ahead:
        came = yield replace(request, content=b"".join(line + b"\n" for line in ahead))
        fresh, stopped = answered_lines(came)
        if fresh:
            tries, waited_s = 0, 0.0
        if len(fresh) > len(ahead):
            raise MahjicError(NOT_MAHJIC)
        told += [{**each, "line": len(told) + at} for at, each in enumerate(fresh, start=1)]
        del ahead[: len(fresh)]
        if ahead:
            wait = patience.before(tries, came if isinstance(came, Answer) else None)
            tries, waited_s = tries + 1, waited_s + wait.seconds
            is_last = tries == patience.tries_max or waited_s > patience.waits_s_max
            if is_last and stopped is not None:
                raise refusal(503, problem_in(stopped.get("problem")))
            if is_last or not _is_worth_another_try(came):
                raise given_up(came, None)
            yield wait
    return told


def settled_batch(
    request: Send, lines: Iterable[bytes], patience: Patience
) -> Steps[list[dict[str, Any]]]:
    """Send a slice of a batch, and again those lines that are not rated yet, until they are.

    Answers stay in the order of the lines. When the patience is at its end, a line keeps its 202.
    Raises what `batch` raises.
    """
    sent = list(lines)
    told = yield from batch(request, sent, patience)
    tries, waited_s = 0, 0.0
    while ahead := [each["line"] for each in told if each["status"] == RECORDED_NOT_RATED]:
        wait = patience.before(tries, None)
        tries, waited_s = tries + 1, waited_s + wait.seconds
        if waited_s > patience.waits_s_max:
            break
        yield wait
        again = yield from batch(request, [sent[line - 1] for line in ahead], patience)
        for line, answer in zip(ahead, again, strict=True):
            told[line - 1] = {**answer, "line": line}
    return told


def answered_lines(
    came: Answer | Lost | None,
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Return the answers to the first lines of a slice, and the line that says why it stopped."""
    fresh: list[dict[str, Any]] = []
    if isinstance(came, Answer) and came.status == 200:
        *whole, _ = came.content.split(b"\n")  # What follows the last line feed is cut.
        for line in whole:
            answer = object_in(line)
            if not isinstance(answer.get("status"), int):
                raise MahjicError(NOT_MAHJIC)
            if answer["status"] == 503:
                return fresh, answer
            fresh.append(answer)
    return fresh, None


def given_up(came: Answer | Lost | None, key: str | None) -> MahjicError:
    """Return the error of a request for which this was the last that came back."""
    if isinstance(came, Answer) and came.status >= 300:
        return refusal(came.status, problem_of(came))
    return NoAnswer(came.why if isinstance(came, Lost) else "the connection broke", key)


def _is_worth_another_try(came: Answer | Lost | None) -> bool:
    if not isinstance(came, Answer) or came.is_cut or came.status in WORTH_ANOTHER_TRY:
        return True
    # A batch that broke off has an answer, and yet it does not answer all.
    return came.status < 300 or problem_of(came).get("code") == IN_PROGRESS


def problem_of(answer: Answer) -> dict[str, Any]:
    """Return the problem that an answer holds; one from a proxy on the way holds none."""
    try:
        return problem_in(json.loads(answer.content))
    except (ValueError, RecursionError):
        return {}


def problem_in(told: object) -> dict[str, Any]:
    """Return what is a problem, and an empty one for anything else."""
    return told if isinstance(told, dict) else {}


def object_in(content: bytes) -> dict[str, Any]:
    """Return the JSON object of an answer: Mahjic answers with nothing else.

    Raises MahjicError when it is none, or one that is nested too deep to read.
    """
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise MahjicError(NOT_MAHJIC)
    return told
