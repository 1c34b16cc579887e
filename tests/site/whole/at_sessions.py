"""What scorers send at the desk of a club that changes a session, or a sheet of one."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.accounts.people import ALICE, BEN
from tests.site.login.visiting import HERE
from tests.site.whole.at_desks import owner
from tests.site.whole.scene import CLUB, PLAYERS, Scene

DESK: Final = f"/desk/{CLUB}"
SHEET_ID: Final = "nid_FEDCBA9876543210"
WHY: Final = {"reason": "wrong_result", "note": "Ben won it."}
FIND_DISPUTE: Final = "SELECT number FROM mahjic.disputes"


async def voiding(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"data": WHY}


async def voided(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    await press(scene, f"/sessions/{scene.session_id}/void", WHY)
    return {"data": {}}


async def correcting(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"data": {}}


async def corrected(scene: Scene) -> dict[str, Any]:
    """Log an owner in, with a correction that is typed and not sent."""
    await owner(scene)
    draft = await press(scene, f"/sessions/{scene.session_id}/correct", {})
    night = {"date": day_of(before=1), "kind": "social", "games-0": "4"}
    for seat, (who, won) in enumerate(zip(PLAYERS, "1210", strict=True)):
        night |= {f"who-0-{seat}": who, f"won-0-{seat}": won}
    assert await press(scene, draft, night) == draft
    return {"data": {**WHY, "meant": "yes", "version": "2"}, "draft_id": draft.rpartition("/")[2]}


async def disputed(scene: Scene) -> dict[str, Any]:
    """Log an owner in who also played, and says that she did not."""
    await scene.be_welcomed()
    path = f"/me/sessions/{scene.session_id}/dispute"
    assert (await scene.here.send(path, {"said": "I was away."})).status_code == 303
    await owner(scene)
    number = await scene.pool.fetchval(FIND_DISPUTE)
    return {"data": {"answer": "Ben saw you."}, "number": str(number)}


async def uploading(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    return {"files": a_file("1"), "draft_id": SHEET_ID}


async def mending(scene: Scene) -> dict[str, Any]:
    """Log an owner in, with a sheet in which a number can't be read."""
    await owner(scene)
    await upload(scene, "one")
    # Few fields: a sheet is read by a process of its own, anew for each text that is tried.
    typed = {"c-5-B": "1", "do": "look", "version": "1", "rows": "6"}
    return {"data": typed, "draft_id": SHEET_ID}


async def uploaded(scene: Scene) -> dict[str, Any]:
    await owner(scene)
    await upload(scene, "1")
    return {"data": {"as": "new", "corrects": "", "version": "1"}, "draft_id": SHEET_ID}


async def press(scene: Scene, path: str, typed: Mapping[str, str]) -> str:
    """Send a form of the desk, and return where that leads."""
    answer = await scene.here.send(DESK + path, typed)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix(DESK)


async def upload(scene: Scene, won: str) -> None:
    """Upload a sheet that waits at the desk from then on."""
    path = f"{DESK}/sheet/{SHEET_ID}"
    answer = await scene.here.client.post(f"{path}/file", headers=HERE, files=a_file(won))
    assert (answer.status_code, answer.headers.get("location")) == (303, path), answer.text


def a_file(won: str) -> dict[str, tuple[str, bytes]]:
    """Return the file of a form: a sheet in which somebody won so many games."""
    rows = (
        f"Date: {day_of(before=3)}",
        "Game Type: Social",
        "ROUND 1 | Games Played: 2 | Wall Games: 0",
        "Player Email,Mahjongs",
        f"{ALICE},{won}",
        f"{BEN},1",
    )
    return {"file": ("night.csv", "\n".join(rows).encode())}


def day_of(*, before: int) -> str:
    """Return the day that was so many days ago."""
    return str(datetime.now(UTC).date() - timedelta(days=before))


PREPARED: Final[Mapping[str, Callable[[Scene], Awaitable[dict[str, Any]]]]] = {
    "/desk/{slug}/sessions/{session_id}/void": voiding,
    "/desk/{slug}/sessions/{session_id}/bring-back": voided,
    "/desk/{slug}/sessions/{session_id}/correct": correcting,
    "/desk/{slug}/sessions/{session_id}/correction/{draft_id}": corrected,
    "/desk/{slug}/sessions/{session_id}/disputes/{number}": disputed,
    "/desk/{slug}/sheet/{draft_id}": mending,
    "/desk/{slug}/sheet/{draft_id}/drop": uploaded,
    "/desk/{slug}/sheet/{draft_id}/file": uploading,
    "/desk/{slug}/sheet/{draft_id}/send": uploaded,
}
