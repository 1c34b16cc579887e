"""The shape of every error Mahjic tells somebody about: a stable code, a title and a sentence.

Each room declares its own errors as subclasses beside the code that raises them. `docs/errors.md`
lists every code, and a test holds the page against the subclasses.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


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
