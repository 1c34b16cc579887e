"""Paints previews: each picture once, however many ask for it, and keeps the latest ones.

A picture is known by what is drawn on it. So a new rating makes a new picture, and nothing has to
be told that an old one is out of date.
"""

import asyncio
import hashlib
import json
from collections import OrderedDict
from functools import cache
from typing import Final

from services.site.previews.child import FONTS
from services.site.previews.layout import drawn
from services.site.previews.making import PictureMaker, PictureNotMade
from services.site.previews.player_card import drawn_card
from services.site.previews.subjects import Picture, PlayerCard
from services.site.previews.typefaces import Typeface, Typefaces
from shared.errors import MahjicError

# Five hundred pictures: what a busy day shares again and again.
KEPT_BYTES_MAX: Final = 16 << 20
# The last one waits three seconds. Whoever fetches previews gives up soon after.
WAITING_MAX: Final = 24


class PreviewsBusy(MahjicError):
    """More previews are asked for than the service can paint."""

    code = "previews_busy"
    title = "The service has more previews than it can paint"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service is busy painting other previews. Ask again in a few seconds.",
            headers={"Retry-After": "5"},
        )


class PreviewPainter:
    """Paints previews, and keeps as many of them as it may."""

    def __init__(
        self,
        maker: PictureMaker | None = None,
        *,
        kept_bytes_max: int = KEPT_BYTES_MAX,
        waiting_max: int = WAITING_MAX,
    ) -> None:
        self._maker = maker or PictureMaker()
        self._kept_bytes_max = kept_bytes_max
        self._waiting_max = waiting_max
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._coming: dict[bytes, asyncio.Task[bytes]] = {}

    async def png(self, picture: Picture) -> bytes:
        """Return a preview or a card as PNG. Raises PreviewsBusy."""
        svg = _drawn(picture)
        digest = hashlib.sha256(svg.encode()).digest()
        if (kept := self._kept.get(digest)) is not None:
            self._kept.move_to_end(digest)
            return kept
        # Whoever asked first may leave; the picture is made for the others all the same.
        return await asyncio.shield(self._coming.get(digest) or self._begun(digest, svg))

    async def run(self) -> None:
        """Never end; when canceled, end the process that makes pictures too."""
        try:
            await asyncio.Event().wait()
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """Stop painting."""
        coming = list(self._coming.values())
        for task in coming:
            task.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        await self._maker.aclose()

    def _begun(self, digest: bytes, svg: str) -> asyncio.Task[bytes]:
        if len(self._coming) >= self._waiting_max:
            raise PreviewsBusy
        task = asyncio.create_task(self._painted(digest, svg))
        self._coming[digest] = task
        task.add_done_callback(lambda done: self._forget(digest, done))
        return task

    def _forget(self, digest: bytes, done: asyncio.Task[bytes]) -> None:
        del self._coming[digest]
        if not done.cancelled():
            done.exception()  # If everyone has left, no one is told.

    async def _painted(self, digest: bytes, svg: str) -> bytes:
        try:
            png = await self._maker.png(svg)
        except PictureNotMade:
            raise PreviewsBusy from None
        self._keep(digest, png)
        return png

    def _keep(self, digest: bytes, png: bytes) -> None:
        """Keep a picture, in place of those that no one has asked for in the longest time."""
        self._kept[digest] = png
        self._kept_bytes += len(png)
        while self._kept_bytes > self._kept_bytes_max:
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= len(dropped)


def _drawn(picture: Picture) -> str:
    if isinstance(picture, PlayerCard):
        return drawn_card(picture, typefaces())
    return drawn(picture, typefaces())


@cache
def typefaces() -> Typefaces:
    """Return the typefaces of previews."""
    told = json.loads((FONTS / "widths.json").read_text())
    display, text = (
        Typeface(
            family,
            told[family]["units_per_em"],
            {int(code): width for code, width in told[family]["widths"].items()},
        )
        for family in ("Mahjic Display", "Mahjic Text")
    )
    return Typefaces(display, text)
