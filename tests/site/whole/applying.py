"""What applicants and reviewers send that changes something, in each state of an application."""

from typing import Any, Final

from tests.accounts.people import ALICE
from tests.applications.applicants import FORM
from tests.site.whole.at_staff import staff
from tests.site.whole.scene import Scene

ASK: Final = """
WITH asked AS (
    INSERT INTO mahjic.application_questions (application_id, question_no, question, asked_at)
    VALUES ($1, 1, 'Where do you play?', now())
) UPDATE mahjic.applications SET state = 'question' WHERE application_id = $1
"""


async def filled_in(_scene: Scene) -> dict[str, Any]:
    """Return the form, which anybody may send."""
    return {"data": FORM}


async def begun(scene: Scene) -> dict[str, Any]:
    """Log in somebody whose application is not sent yet."""
    await scene.here.log_in(ALICE)
    answer = await scene.here.send("/become-a-source", FORM)
    application_id = answer.headers["location"].rpartition("/")[2]
    return {"data": {**FORM, "nights": "12"}, "application_id": application_id}


async def asked(scene: Scene) -> dict[str, Any]:
    """Log in somebody whose application is sent, and who is asked something."""
    application_id = (await begun(scene))["application_id"]
    await scene.here.send(f"/become-a-source/{application_id}/send")
    await scene.pool.execute(ASK, application_id)
    return {"data": {"answer-1": "In the library."}, "application_id": application_id}


async def to_decide(scene: Scene) -> dict[str, Any]:
    """Log in a reviewer, who has an application to decide on."""
    await scene.elsewhere.log_in(ALICE)
    answer = await scene.elsewhere.send("/become-a-source", FORM)
    path = answer.headers["location"]
    await scene.elsewhere.send(f"{path}/send")
    await staff(scene, "reviewer")
    decision = {"question": "Where?", "seen": "0", "reason": "No.", "slug": "lakeside"}
    details = {"name": "Lakeside", "type": "club", "region": "midwest"}
    return {"data": decision | details, "application_id": path.rpartition("/")[2]}
