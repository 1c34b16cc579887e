"""Reads who the players of a score file are: one line each, with the name and the address."""

import re
from collections.abc import Callable
from typing import Final

from shared.scoring.lines import numbered_lines, short
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake

# An address may contain a #; a comment starts the line or follows a space.
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_NAMED: Final = re.compile(r"(?P<name>[^\s=]+)(?:\s*=\s*|\s+)(?P<address>[^\s=].*)")


# Returns the code and the sentence of what is wrong with an address, None if nothing is.
Judge = Callable[[str], tuple[str, str] | None]


def read_players(text: str, judge: Judge) -> dict[str, str]:
    """Return the address of each name: `PRIVATE:` and `ANON:` too, as a claim writes them.

    Spaces, a tab or `=` stand between the two. Raises InvalidScores with all the mistakes found.
    """
    addresses: dict[str, str] = {}
    mistakes = []
    for line, words in numbered_lines(text):
        said = _COMMENT.sub("", words).strip()
        named = _NAMED.fullmatch(said)
        if not said:
            continue
        if named is None:
            what = "This line needs a name with an address after it, such as: Ann ann@example.com"
            mistakes.append(ScoreFileMistake(line, "unknown_line", what))
        elif named["name"] in addresses:
            what = f"{short(named['name'])} already has an address; a name belongs to one person."
            mistakes.append(ScoreFileMistake(line, "player_twice", what))
        elif wrong := judge(named["address"]):
            mistakes.append(ScoreFileMistake(line, *wrong))
        else:
            addresses[named["name"]] = named["address"]
    if mistakes:
        raise InvalidScores(mistakes)
    return addresses
