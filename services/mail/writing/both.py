"""Writes a letter from its one template: the subject, plain text, and HTML that say the same."""

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shared.mail.letters import subject_line

TEMPLATES: Final = Path(__file__).parent / "templates"
# Lines that every mail program shows without breaking them.
LINE_CHARACTERS: Final = 72


@dataclass(frozen=True, slots=True)
class WrittenLetter:
    """What a letter says."""

    subject: str
    text: str
    html: str


def write_both(template: str, **said: object) -> WrittenLetter:
    """Return what a letter says; a link to end such mail only if there is a `no_more_url`."""
    said.setdefault("no_more_url", None)
    text, html = (_ENVIRONMENTS[way].get_template(f"{template}.j2") for way in ("text", "html"))
    subject = "".join(text.blocks["subject"](text.new_context({**said, "way": "text"})))
    return WrittenLetter(
        subject_line(subject),
        _without_gaps(text.render(way="text", **said)),
        _without_gaps(html.render(way="html", **said)),
    )


def _environment(*, is_html: bool) -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=is_html,  # noqa: S701 - plain text has no tags that could be meant.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    made.filters["wrapped"] = _wrapped
    return made


def _wrapped(words: str) -> str:
    """Return a paragraph in lines; also whatever a name holds stays within it."""
    return textwrap.fill(
        " ".join(words.split()), LINE_CHARACTERS, break_long_words=False, break_on_hyphens=False
    )


def _without_gaps(text: str) -> str:
    """Return a text without more than one empty line at a time."""
    lines: list[str] = []
    for line in map(str.rstrip, text.strip().splitlines()):
        if line or lines[-1]:
            lines.append(line)
    return "\n".join(lines) + "\n"


_ENVIRONMENTS: Final = {
    "text": _environment(is_html=False),
    "html": _environment(is_html=True),
}
