"""Player ids become indexes and come back as they were, however many there are."""

from pathlib import Path

import numpy as np
import pytest

from shared.ids import BOB, PLAYER_ID_SPACE, player_id
from shared.replay.files import FolderColumns, StoredColumns
from shared.replay.players import FRESH_MIN, Players
from tests.log.chances import seeded_chance

ODD = ["MJ-ADA", "AN-NICK", "", "MJ-", "XX-7K3Q9XZM", "MJ-7K3Q9XZMM", "mj-7K3Q9XZM", "P001", "Bob"]


def some_ids(count: int) -> list[str]:
    """Return different ids of every kind, in any order."""
    chance = seeded_chance()
    numbers = chance.sample(range(PLAYER_ID_SPACE), count)
    ids = [player_id(chance.choice(("MJ", "AN")), number) for number in numbers]
    # The same characters are another player after another prefix.
    ids += [{"MJ": "AN", "AN": "MJ"}[each[:2]] + each[2:] for each in ids[: count // 10]]
    ids += ODD
    chance.shuffle(ids)
    return ids


def test_indexes_count_up_by_the_order_of_first_appearance() -> None:
    players = Players(StoredColumns())
    ids = some_ids(5 * FRESH_MIN)
    assert [players.find(each) for each in ids] == [None] * len(ids)
    assert len(players) == 1
    expected = list(range(1, len(ids) + 1))
    assert [players.add(each) for each in ids] == expected
    assert [players.add(each) for each in ids] == expected
    assert [players.find(each) for each in ids] == expected
    assert players.ids_of(np.array([*expected, 0])) == [*ids, BOB]
    assert [players[index] for index in expected[:50]] == ids[:50]


def test_bob_is_the_first_one() -> None:
    players = Players(StoredColumns())
    assert (players.find(BOB), players.add(BOB), players[0], len(players)) == (0, 0, BOB, 1)


@pytest.mark.parametrize("count", [0, 3, 3 * FRESH_MIN])
def test_players_are_the_same_when_their_columns_are_opened_again(
    tmp_path: Path, count: int
) -> None:
    columns = FolderColumns(tmp_path, {})
    players, ids = Players(columns), some_ids(count)
    for each in ids:
        players.add(each)
    assert len(columns.rows["player_keys"]) == len(ids) + 1
    again = Players(FolderColumns(tmp_path, columns.counts))
    assert [again.find(each) for each in ids] == list(range(1, len(ids) + 1))
    assert again.find("MJ-NOBODY") is None
    assert again.add("MJ-SOMEBODY-NEW") == len(ids) + 1
