"""A page is made once for the same content, whoever asks, and what is kept has a limit."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from services.site.kit.made import MadePages, made_of


@dataclass(frozen=True)
class Shown:
    name: str
    ratings: tuple[int, ...] = ()


class Maker:
    """Counts how often it makes a page."""

    def __init__(self) -> None:
        self.times = 0

    def of(self, text: str) -> Callable[[], bytes]:
        def make() -> bytes:
            self.times += 1
            return text.encode()

        return make


def test_the_same_content_is_made_once_and_other_content_again() -> None:
    pages, maker = MadePages(), Maker()
    for name, times in (("Ada", 1), ("Ada", 1), ("Bo", 2), ("Ada", 2)):
        shown = {"player": Shown(name), "rows": [Shown(name, (1, 2))]}
        made = pages.page(("player.html", shown), maker.of(f"Page of {name}"))
        assert made.body == gzip.decompress(made.compressed) == f"Page of {name}".encode()
        assert made.etag == made_of(made.body).etag
        assert maker.times == times


@pytest.mark.parametrize(
    "other",
    [
        ("other.html", {"rating": 1500.0}),
        ("page.html", {"rating": 1500.01}),
        ("page.html", {"rating": 1500.0, "name": None}),
        ("page.html", {"rating": "1500.0"}),
    ],
)
def test_whatever_is_different_in_it_is_another_page(other: tuple[object, ...]) -> None:
    pages, maker = MadePages(), Maker()
    pages.page(("page.html", {"rating": 1500.0}), maker.of("one"))
    assert pages.page(other, maker.of("other")).body == b"other"


def test_those_that_were_asked_for_last_are_kept_up_to_a_number_of_bytes() -> None:
    length = len(made_of(b"page 0").compressed)
    pages, maker = MadePages(bytes_max=3 * length), Maker()
    for number in (0, 1, 2, 0, 3):  # The last one takes the place of 1.
        pages.page((number,), maker.of(f"page {number}"))
    assert maker.times == 4
    for number, times in ((0, 4), (2, 4), (3, 4), (1, 5)):
        pages.page((number,), maker.of(f"page {number}"))
        assert maker.times == times, number
