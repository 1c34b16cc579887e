"""Writes pictures of the main pages, on a phone, at a desk and in the dark, to a folder."""

import asyncio
import sys
from pathlib import Path
from typing import Final

from tests.browser.chromium import BrowserMissing, running_chromium
from tests.browser.town import ALICE, Town, play_hard_cases, play_season
from tests.browser.townsfolk import SEVERAL
from tests.browser.visitors import DARK_DESKTOP, DESKTOP, PHONE, visiting
from tests.pictures.desk_pictures import open_desk, picture_desk
from tests.pictures.own_town import own_town
from tests.pictures.review_pictures import picture_review
from tests.pictures.verified_pictures import picture_verified

DEVICES: Final = {"phone": PHONE, "desktop": DESKTOP, "dark": DARK_DESKTOP}


def pages(town: Town) -> dict[str, str]:
    """Return the path of each page that is pictured."""
    return {
        "home": "/",
        "leaderboard": "/leaderboard",
        "player": town.page("hannah@example.com"),
        "why": town.newest_change("hannah@example.com"),
        "compare": f"/compare/{town.ids[ALICE]}/{town.ids['hannah@example.com']}",
        "find": f"/find?q={SEVERAL}",
        "sources": "/sources",
        "source": "/sources/tuesday-tiles",
        "formula": "/formula",
        "about": "/about",
        "privacy": "/privacy",
        "developers": "/developers",
        "become-a-source": "/become-a-source",
    }


async def picture(town: Town, folder: Path) -> None:
    """Visit each page with each device, and keep what is seen."""
    async with running_chromium() as browser:
        for name, device in DEVICES.items():
            async with visiting(browser, town.url, device) as visitor:
                for page, path in pages(town).items():
                    await visitor.go(path)
                    shown = folder / f"{page}-{name}.png"
                    await visitor.page.screenshot(path=shown, full_page=True)
        await open_desk(town)
        for name, device in DEVICES.items():
            await picture_desk(browser, town, device, name, folder)
        await picture_verified(browser, town, DEVICES, folder)
        await picture_review(browser, town, folder)


async def run(folder: Path) -> None:
    """Play a season on a service of its own, and picture its pages."""
    async with own_town() as town:
        await play_season(town)
        await play_hard_cases(town)
        await town.all_shown()
        await town.read_changes("hannah@example.com")
        await picture(town, folder)


def main() -> int:
    """Write the pictures, and say where they are."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    try:
        asyncio.run(run(folder))
    except BrowserMissing as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    sys.stdout.write(f"\nThe pictures are in {folder.resolve()}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
