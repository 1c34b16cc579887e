"""How the JavaScript client writes names and comments."""

import re
import textwrap
from typing import Final

WIDTH: Final = 100


def camel(name: str) -> str:
    """Return a name as JavaScript writes it."""
    first, *others = name.split("_")
    return first + "".join(each.title() for each in others)


def comment(paragraphs: str, indent: str, *tags: str) -> str:
    """Return words as a comment of lines that are short enough to read."""
    plain = [re.sub(r"\s+", " ", each).strip() for each in paragraphs.split("\n\n")]
    words = [each.replace("*/", "* /") for each in plain if each]
    if not words and not tags:
        return ""
    if len(words) == 1 and not tags and len(indent) + len(words[0]) + 7 <= WIDTH:
        return f"{indent}/** {words[0]} */\n"
    lines: list[str] = []
    for each in words:
        lines += ["", *_wrapped(each, WIDTH - len(indent) - 3)]
    starred = (f"{indent} * {each}".rstrip() for each in [*lines[1:], *tags])
    return "\n".join([f"{indent}/**", *starred, f"{indent} */\n"])


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
