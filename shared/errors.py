"""The shape of every error that Mahjic reports: a stable code, a title and a sentence.

Each room declares its own errors as subclasses beside the code that raises them; those that many
rooms raise are here. `docs/errors.md` lists every code, and a test compares the page with the
subclasses. `shared/http` turns them into answers.
"""

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Final, Protocol, TypeVar

# Every mistake of an honest file fits; a stranger's file must not make the answer endless.
MISTAKES_MAX: Final = 1_000
# Said in place of those that are left out.
MORE_MISTAKES: Final = "more_mistakes"
MORE_WORDS: Final = (
    "There are more mistakes than are listed here. Correct these first, and send it again."
)
_CAUSES_MAX: Final = 10


class MahjicError(Exception):
    """An error that the caller can be told about, and can do something about.

    `detail` is a whole sentence that says what was wrong, where, and what to do. `extra` holds
    further members of the problem details (RFC 9457), `headers` those of the HTTP answer.
    """

    code: ClassVar[str]
    title: ClassVar[str]
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        detail: str,
        *,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.extra: Mapping[str, Any] = extra or {}
        self.headers: Mapping[str, str] = headers or {}

    @property
    def told_code(self) -> str:
        """The code that people see; an error that only passes on a problem uses that problem's
        code."""
        return self.code


@dataclass(frozen=True, slots=True)
class Mistake:
    """One located mistake in a claim: `pointer` is a JSON pointer (RFC 6901) into the body."""

    pointer: str
    code: str
    message: str


class _Coded(Protocol):
    @property
    def code(self) -> str: ...


_Told = TypeVar("_Told", bound=_Coded)


def told_mistakes(mistakes: Iterable[_Told], more: _Told) -> tuple[_Told, ...]:
    """Return the mistakes to report, at most MISTAKES_MAX, and `more` if any are left out. The code
    that found them may already have left some out, and said so with `more_mistakes`.
    """
    found = list(islice(mistakes, MISTAKES_MAX + 2))
    told = [each for each in found if each.code != MORE_MISTAKES]
    is_whole = len(told) == len(found) <= MISTAKES_MAX
    return tuple(told) if is_whole else (*told[:MISTAKES_MAX], more)


def number_of_mistakes(told: Sequence[_Coded]) -> str:
    """Return how many mistakes are reported, in words."""
    if told[-1].code == MORE_MISTAKES:
        return f"More than {len(told) - 1} mistakes"
    return "1 mistake" if len(told) == 1 else f"{len(told)} mistakes"


class ClaimRefused(MahjicError):
    """A claim breaks rules; the error lists all the mistakes, not just the first one."""

    code = "claim_refused"
    title = "Something in the request breaks a rule"
    status = 422

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = told_mistakes(mistakes, Mistake("", MORE_MISTAKES, MORE_WORDS))
        assert self.mistakes, "A refusal names at least one mistake."
        super().__init__(
            f"{number_of_mistakes(self.mistakes)} found; nothing was recorded. Correct what "
            "`errors` lists, and send it again.",
            extra={
                "errors": [
                    {"pointer": m.pointer, "code": m.code, "message": m.message}
                    for m in self.mistakes
                ]
            },
        )


class NotFound(MahjicError):
    """There is nothing here, or nothing that this caller may see."""

    code = "not_found"
    title = "Not found"
    status = 404


class MalformedJson(MahjicError):
    """The body is not JSON (RFC 8259), or two readers could take it for different things."""

    code = "malformed_json"
    title = "The body is not well-formed JSON"
    status = 400

    def __init__(self, reason: str, *, line: int | None = None, column: int | None = None) -> None:
        place = {"line": line, "column": column} if line is not None else {}
        where = f" (line {line}, column {column})" if line is not None else ""
        super().__init__(f"The body is not well-formed JSON: {reason}{where}.", extra=place)


class InvalidParameter(MahjicError):
    """A parameter of the path, the query or a header breaks its rule."""

    code = "invalid_parameter"
    title = "A parameter of the request is not valid"
    status = 422

    def __init__(self, errors: Sequence[Mapping[str, str]]) -> None:
        super().__init__(
            "Correct the parameters that `errors` lists, and send the request again.",
            extra={"errors": list(errors)[: MISTAKES_MAX + 1]},
        )


class ServiceUnavailable(MahjicError):
    """The database can't be reached at the moment; sending the request again is safe."""

    code = "database_unavailable"
    title = "The service is not available at the moment"
    status = 503

    def __init__(self, *, retry_after_s: int = 5) -> None:
        super().__init__(
            f"The database does not answer. Send the same request again in {retry_after_s} s; "
            "with the same Idempotency-Key, nothing can count twice.",
            headers={"Retry-After": str(retry_after_s)},
        )


class LogUnavailable(MahjicError):
    """The log, in the database or on Kafka, can't be reached at the moment."""

    code = "log_unavailable"
    title = "The log is not available at the moment"
    status = 503

    def __init__(self, *, retry_after_s: int = 5) -> None:
        super().__init__(
            f"The log does not answer. Send the same request again in {retry_after_s} s.",
            headers={"Retry-After": str(retry_after_s)},
        )


class InternalError(MahjicError):
    """A fault of ours. It says nothing about its cause, which may contain someone else's data."""

    code = "internal_error"
    title = "Something went wrong on our side"
    status = 500

    def __init__(self) -> None:
        super().__init__(
            "This is our fault, and it has been logged. Give the operator the `instance` shown "
            "here."
        )


class UnknownSession(MahjicError):
    """There is no such session, or it belongs to another source; the answer is the same."""

    code = "unknown_session"
    title = "There is no such session"
    status = 404

    def __init__(self, session_ids: Sequence[str] = ()) -> None:
        if session_ids:
            count = len(session_ids)
            detail = f"{count} of these are not sessions; `session_ids` lists them. Take them out."
            super().__init__(detail, extra={"session_ids": list(session_ids)})
        else:
            super().__init__(
                "Your key has no session with this id. Use the `session_id` from the answer."
            )


class UnknownPlayer(MahjicError):
    """There is no such player, or this caller may not see them; the answer does not say which."""

    code = "unknown_player"
    title = "There is no such player"
    status = 404


def places_of(error: BaseException) -> Iterator[str]:
    """Yield the types and places in the code of an error and its causes, without their words."""
    to_tell = [("", error)]
    for _ in range(_CAUSES_MAX):
        if not to_tell:
            return
        role, told = to_tell.pop(0)
        yield f"{role}{type(told).__module__}.{type(told).__qualname__}"
        for frame, line in traceback.walk_tb(told.__traceback__):
            yield f"  {frame.f_code.co_filename}:{line} {frame.f_code.co_qualname}"
        if isinstance(told, BaseExceptionGroup):
            to_tell.extend(("one of them: ", inner) for inner in told.exceptions)
        if told.__cause__ is not None:
            to_tell.append(("because of ", told.__cause__))
        elif told.__context__ is not None and not told.__suppress_context__:
            to_tell.append(("while handling ", told.__context__))
