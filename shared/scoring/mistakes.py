"""What is wrong with a file of scores, with the line it is on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from shared.errors import (
    MORE_MISTAKES,
    MORE_WORDS,
    MahjicError,
    number_of_mistakes,
    told_mistakes,
)

# What a couple with one mailbox can do, wherever two names turn out to have one address.
SHARED_MAILBOX: Final = (
    "If two people share a mailbox, give one of them an address of their own, such as "
    "pat+sam@example.com, or write ANON: and a nickname."
)


@dataclass(frozen=True, slots=True)
class ScoreFileMistake:
    """One mistake in a file of scores; lines count from 1, and None means no line of it.

    `pointer` names the field of a JSON request that it is in: the games, or what goes with them.
    """

    line: int | None
    code: str
    message: str
    pointer: str = "/games"


class InvalidScores(MahjicError):
    """A file of scores breaks the rules of its format or of its rule book."""

    code = "invalid_scores"
    title = "The scores cannot be read"
    status = 422

    def __init__(self, mistakes: Iterable[ScoreFileMistake], *, file: str = "the scores") -> None:
        more = ScoreFileMistake(None, MORE_MISTAKES, MORE_WORDS, "")
        self.mistakes = told_mistakes(mistakes, more)
        assert self.mistakes, "A refusal names at least one mistake."
        super().__init__(
            f"{number_of_mistakes(self.mistakes)} found in {file}, so nothing was done. Correct "
            "what is listed.",
            extra={
                "errors": [
                    {
                        "pointer": each.pointer,
                        "line": each.line,
                        "code": each.code,
                        "message": each.message,
                    }
                    for each in self.mistakes
                ]
            },
        )
