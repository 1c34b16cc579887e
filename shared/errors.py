"""The shape of every error Mahjic tells somebody about: a stable code, a title and a sentence.

Each room declares its own errors as subclasses beside the code that raises them. `docs/errors.md`
lists every code, and a test holds the page against the subclasses.
"""

import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

_CAUSES_MAX: Final = 10


class MahjicError(Exception):
    """Something that the caller can be told, and do something about.

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
        """The code that people are told; what only passes a problem on tells that one's."""
        return self.code


@dataclass(frozen=True, slots=True)
class Mistake:
    """One located mistake in a claim: `pointer` is a JSON pointer (RFC 6901) into the body."""

    pointer: str
    code: str
    message: str


class ClaimRefused(MahjicError):
    """A claim that breaks rules; it carries all the mistakes found, not the first one only."""

    code = "claim_refused"
    title = "The request breaks the rules for its content"
    status = 422

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        assert self.mistakes, "A refusal names at least one mistake."
        count = len(self.mistakes)
        noun = "mistake" if count == 1 else "mistakes"
        super().__init__(
            f"{count} {noun} found; nothing was recorded. Correct what `errors` lists, send again.",
            extra={
                "errors": [
                    {"pointer": m.pointer, "code": m.code, "message": m.message}
                    for m in self.mistakes
                ]
            },
        )


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
