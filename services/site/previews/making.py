"""Makes pictures in a process of their own, since making one holds up everything else in ours.

The process starts when the first picture is needed. It may end at any time, and starts again.
"""

import asyncio
from asyncio.subprocess import Process
from typing import Final

import structlog

from shared.machine.children import FAULT_OF_OURS, end_child, start_child

CHILD: Final = "services.site.previews.child"
# Starting takes half a second and a picture a tenth, and both longer if others are working too.
PICTURE_S_MAX: Final = 15.0

_log = structlog.get_logger(__name__)


class PictureNotMade(Exception):
    """The process that makes pictures took too long, or ended twice at the same picture."""


class PictureMaker:
    """Makes pictures one after the other."""

    def __init__(self, *, child: str = CHILD, picture_s_max: float = PICTURE_S_MAX) -> None:
        self._module = child
        self._picture_s_max = picture_s_max
        self._child: Process | None = None
        self._turn = asyncio.Lock()

    async def png(self, svg: str) -> bytes:
        """Return an SVG as PNG. Raises PictureNotMade."""
        async with self._turn:
            png = await self._made(svg.encode())
            if png is None:
                # It may have ended before, and through no fault of this picture.
                png = await self._made(svg.encode())
            if png is None:
                raise PictureNotMade
            return png

    async def aclose(self) -> None:
        """End the process, whatever it is doing."""
        if self._child is not None:
            child, self._child = self._child, None
            await end_child(child)

    async def _made(self, svg: bytes) -> bytes | None:
        """Return an SVG as PNG, or None if the process ended. Raises PictureNotMade."""
        try:
            async with asyncio.timeout(self._picture_s_max):
                if self._child is None:
                    self._child = await start_child(self._module)
                return await _asked(self._child, svg)
        except (ConnectionError, asyncio.IncompleteReadError):
            await self._tell_end()
            return None
        except TimeoutError:
            _log.error("preview_too_slow")
            await self.aclose()
            raise PictureNotMade from None
        except asyncio.CancelledError:
            # Its answer would be taken for the next one.
            await self.aclose()
            raise

    async def _tell_end(self) -> None:
        child, self._child = self._child, None
        assert child is not None
        assert child.stderr is not None
        await end_child(child)
        faults = await child.stderr.read()
        # Nothing else that it wrote comes from us, so nothing else is safe to log.
        is_told = child.returncode == FAULT_OF_OURS
        exception = faults.decode(errors="replace") if is_told else None
        _log.error("preview_maker_ended", exit_code=child.returncode, exception=exception)


async def _asked(child: Process, svg: bytes) -> bytes:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"%d\n%b" % (len(svg), svg))
    await child.stdin.drain()
    length = await child.stdout.readuntil(b"\n")
    return await child.stdout.readexactly(int(length))
