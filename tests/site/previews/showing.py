"""Previews to look at, and what can be seen on them."""

from io import BytesIO

from PIL import Image, ImageChops

from services.site.previews.subjects import (
    BoardPreview,
    PlayerCard,
    PlayerPreview,
    Preview,
    PreviewRow,
    SitePreview,
    SourcePreview,
)
from tests.site.charts.making import walk_of

PLAYER_ID = "MJ-7K3Q9XZM"
# Left, top, right, bottom: where the name of a player stands.
NAME_BOX = (80, 110, 760, 215)

Box = tuple[int, int, int, int]


def player(name: str = "Barbara Miller", *, ratings: int = 50, seed: int = 1) -> PlayerPreview:
    walk = walk_of(ratings, seed=seed)
    return PlayerPreview(PlayerCard(PLAYER_ID, name, walk[-1] / 100, "Advanced", 3, 330), walk)


def board(*names: str) -> BoardPreview:
    rows = [PreviewRow(place, PLAYER_ID, name, 1900 - place) for place, name in enumerate(names, 1)]
    return BoardPreview("Leaderboard", rows)


def each_kind(name: str = "Barbara Miller") -> list[Preview]:
    """Return a preview of each kind, for people and clubs of this name."""
    return [
        player(name),
        board(*[name] * 6),
        board(),
        SourcePreview("fort-collins", name, 1_234, 56_789, 300),
        SitePreview(),
    ]


def seen(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


def differ(one: bytes, other: bytes, box: Box) -> bool:
    """Return whether two pictures differ within a box."""
    difference = ImageChops.difference(seen(one).crop(box), seen(other).crop(box))
    return difference.getbbox() is not None
