"""Reads a page as a visitor's program does: its links, anchors, code, and words."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

# These have no end.
_EMPTY = frozenset({"meta", "link", "img", "br", "input", "hr", "rect", "circle", "wbr"})


@dataclass
class ReadPage(HTMLParser):
    """A page that was read; `code` are the blocks, `headings` their words by level."""

    text: str
    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    headings: list[tuple[str, str]] = field(default_factory=list)
    words: str = ""
    attributes: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)
        self.words = " ".join(self.words.split())
        assert not self._open, f"Not closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.attributes.append((tag, named))
        if tag == "a":
            self.links.append(named["href"] or "")
        if named.get("id"):
            self.ids.append(str(named["id"]))
        if tag == "pre":
            self.code.append("")
        if tag in {"h1", "h2", "h3"}:
            self.headings.append((tag, ""))
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"{tag} is closed where it was not opened."

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in {"style", "script"}:
            return
        if "pre" in self._open:
            self.code[-1] += data
        if self._open and self._open[-1] in {"h1", "h2", "h3"}:
            level, words = self.headings[-1]
            self.headings[-1] = (level, words + data)
        self.words += data
