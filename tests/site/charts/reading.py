"""Reads a drawn chart back: a second, simple understanding of the SVG that charts use."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

SVG = "{http://www.w3.org/2000/svg}"
_PIECE = re.compile(r"([MlVHz])|(-?(?:\d+\.?\d*|\.\d+))")

Spot = tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """A chart of one size, as a browser would understand it."""

    root: Xml.Element

    @property
    def width(self) -> float:
        return float(self.root.attrib["viewBox"].split()[2])

    @property
    def height(self) -> float:
        return float(self.root.attrib["viewBox"].split()[3])

    def all(self, tag: str, *classes: str) -> list[Xml.Element]:
        """Return the elements of a kind that have exactly these classes."""
        return [
            each
            for each in self.root.iter(f"{SVG}{tag}")
            if not classes or sorted(each.attrib.get("class", "").split()) == sorted(classes)
        ]

    def text(self, tag: str) -> str:
        (found,) = self.all(tag)
        return found.text or ""

    def texts(self, *classes: str) -> list[str]:
        return [each.text or "" for each in self.all("text", *classes)]

    def spots(self, *classes: str) -> list[Spot]:
        """Return where the paths with these classes go, one after the other."""
        return [spot for each in self.all("path", *classes) for spot in walked(each.attrib["d"])]

    def circles(self, *classes: str) -> list[Spot]:
        return [
            (float(each.attrib["cx"]), float(each.attrib["cy"]))
            for each in self.all("circle", *classes)
        ]


def drawn(figure: str) -> tuple[Drawn, Drawn]:
    """Return the wide and the narrow chart of a figure."""
    charts = [
        Drawn(each)
        for each in Xml.fromstring(figure).iter(f"{SVG}svg")
        if "chart" in each.attrib["class"].split()
    ]
    assert [each.root.attrib["class"] for each in charts] == ["chart wide", "chart narrow"]
    return charts[0], charts[1]


def walked(d: str) -> Iterator[Spot]:
    """Yield where a path goes: M absolute, l relative, V and H absolute, z back."""
    x = y = 0.0
    command, numbers = "", list[float]()
    for letter, number in _PIECE.findall(d):
        if letter:
            assert not numbers, f"A step of a path is incomplete in {d}."
            command = letter
            continue
        numbers.append(float(number))
        if len(numbers) < (1 if command in "VH" else 2):
            continue
        if command == "M":
            x, y = numbers
        elif command == "l":
            x, y = x + numbers[0], y + numbers[1]
        elif command == "V":
            (y,) = numbers
        elif command == "H":
            (x,) = numbers
        numbers = []
        yield round(x, 3), round(y, 3)
    assert not numbers, f"A step of a path is incomplete in {d}."
