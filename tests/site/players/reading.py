"""Reads a page as a person does: its title, its words, its tables, its links and its parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "input", "br", "img", "hr", "path", "rect", "circle"})
# Words on both sides of one of these are apart, whatever the text between them.
BLOCKS = frozenset(
    {"p", "li", "td", "th", "tr", "h1", "h2", "h3", "div", "dt", "dd", "section", "summary", "br"}
)


@dataclass
class Element:
    """One element of a page, with what is in it."""

    tag: str
    attributes: dict[str, str]
    children: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its words, with single spaces."""
        return " ".join("".join(self._words()).split())

    def all(self, tag: str, **attributes: str) -> Iterator["Element"]:
        """Yield the elements of a tag, with these attributes; `class_` must be one of them."""
        for child in self.children:
            if isinstance(child, Element):
                if child.tag == tag and child.has(attributes):
                    yield child
                yield from child.all(tag, **attributes)

    def one(self, tag: str, **attributes: str) -> "Element":
        found = list(self.all(tag, **attributes))
        assert len(found) == 1, (tag, attributes, [each.text for each in found])
        return found[0]

    def has(self, attributes: dict[str, str]) -> bool:
        own = self.attributes
        return all(
            value in own.get("class", "").split() if name == "class_" else own.get(name) == value
            for name, value in attributes.items()
        )

    def rows(self) -> Sequence[Sequence[str]]:
        """Return the words of each cell of a table, row by row."""
        return [
            [cell.text for cell in row.children if isinstance(cell, Element)]
            for row in self.all("tr")
        ]

    def links(self) -> Sequence[str]:
        return [each.attributes["href"] for each in self.all("a")]

    def _words(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                is_block = child.tag in BLOCKS or child.has({"class_": "sub"})
                gap = " " if is_block else ""
                yield gap
                yield from child._words()
                yield gap


class PageRead(Element):
    """A whole page. It refuses one whose tags do not fit each other."""

    def __init__(self, html: str) -> None:
        super().__init__("page", {})
        self.html = html
        _Reader(self).feed(html)

    @property
    def title(self) -> str:
        return self.one("head").one("title").text

    @property
    def main(self) -> Element:
        return self.one("main")

    def meta(self, name: str) -> str | None:
        found = [*self.all("meta", name=name), *self.all("meta", property=name)]
        return found[0].attributes["content"] if found else None

    @property
    def canonical(self) -> str:
        return self.one("link", rel="canonical").attributes["href"]


class _Reader(HTMLParser):
    def __init__(self, page: Element) -> None:
        super().__init__()
        self._open = [page]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> ends <{self._open[-1].tag}>."
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text, as they are written, with a plain minus sign."""
    plain = text.replace("\N{MINUS SIGN}", "-").replace(",", "")
    return re.findall(r"[+-]?\d+(?:\.\d+)?", plain)
