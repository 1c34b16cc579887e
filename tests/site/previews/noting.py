"""A painter that notes what it is asked to paint, so that tests need not read pictures."""

from dataclasses import dataclass, field

from services.site.previews.painter import PreviewPainter, PreviewsBusy
from services.site.previews.subjects import Picture


@dataclass
class Notes:
    """Notes what is to be painted, and paints nothing."""

    asked: list[Picture] = field(default_factory=list)
    is_busy: bool = False

    async def png(self, picture: Picture) -> bytes:
        if self.is_busy:
            raise PreviewsBusy
        self.asked.append(picture)
        return repr(picture).encode()

    def painter(self) -> PreviewPainter:
        painter = PreviewPainter()
        painter.png = self.png  # type: ignore[method-assign]
        return painter
