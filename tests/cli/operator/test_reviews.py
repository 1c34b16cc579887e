"""The command that tells how often advice and decision agreed."""

from tests.cli.running import mahjic
from tests.conftest import Database

KEEP = """
INSERT INTO mahjic.application_reviews
    (application_id, opinion, no_advice, was_asked, decision, decided_at)
VALUES ($1, $2, $3, $4, $5, now())
"""


async def test_agreement_is_counted_over_decisions_with_advice(own_database: Database) -> None:
    empty = await mahjic("review", "report")
    assert empty.exit_code == 0
    assert "No application with advice has been decided yet." in empty.stdout
    for number, kept in enumerate(
        (
            ("looks_fine", None, False, "approved"),
            ("looks_fine", None, False, "approved"),
            ("looks_wrong", None, False, "approved"),
            (None, "slow", False, "declined"),
            (None, None, True, "declined"),
        )
    ):
        await own_database.pool.execute(KEEP, f"app_{number}", *kept)
    told = await mahjic("review", "report")
    rows = [row for row in told.rows if len(row) == 5]
    assert rows == [
        ["advice", "was asked", "decision", "times", "agreed"],
        ["looks_fine", "no", "approved", "2", "yes"],
        ["looks_wrong", "no", "approved", "1", "no"],
        ["none (slow)", "no", "declined", "1", "-"],
        ["none (not asked)", "yes", "declined", "1", "-"],
    ]
    assert "Advice and decision agreed 2 of 3 times (66 %)." in told.stdout
