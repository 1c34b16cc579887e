"""A replay goes on from what it kept in memory, and comes to the same as one that kept nothing."""

from services.operating.checkpoints import MemoryCheckpoints
from services.rater.answering import Rater
from shared.rating.columns import Standings
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns
from shared.replay.replay import Checkpoint
from tests.corrections.histories import a_long_history
from tests.log.chances import seeded_chance
from tests.rater.stories import BEGINNING, ENGINE, answered


class Watched(MemoryCheckpoints):
    """Checkpoints that tell where replays went on."""

    def __init__(self) -> None:
        super().__init__(gap_facts_min=2)
        self.found: list[int] = []

    def newest(self, place: int) -> Checkpoint | None:
        found = super().newest(place)
        self.found += [] if found is None else [found.place]
        return found


def test_verdicts_are_the_same_with_and_without_checkpoints() -> None:
    facts = a_long_history(seeded_chance(), 250)
    checkpoints = Watched()
    rater = Rater(BEGINNING, ENGINE, Chronicle(StoredColumns()), checkpoints)
    assert answered(facts, rater) == answered(facts)
    assert checkpoints.found


def test_what_was_kept_is_not_changed_by_whoever_goes_on() -> None:
    checkpoints = MemoryCheckpoints()
    standings = Standings.of_newcomers(3)
    checkpoints.keep(Checkpoint(7, standings))
    standings.numbers[1] = 0
    kept = checkpoints.newest(9)
    assert kept is not None
    assert kept.standings.numbers[1].tolist() == [150_000, 0, 150_000, 0]
    checkpoints.drop_beyond(6)
    assert checkpoints.newest(9) is None
