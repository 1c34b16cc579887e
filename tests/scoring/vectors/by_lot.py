"""Cases drawn by lot, from a seed: many of every kind, and some that are refused."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

Case = dict[str, Any]
SUITS: Final = "cdb"
TILES: Final = [*"ESWNRGP", *(f"{rank}{suit}" for suit in SUITS for rank in range(1, 10))]
# Hands of few kinds of tiles have what the doubles are for.
POOLS: Final = [
    TILES,
    [*"ESWNRGP"],
    [*"ESWNRGP", *(f"{rank}{suit}" for suit in SUITS for rank in (1, 9))],
    [f"{rank}{suit}" for suit in SUITS for rank in (1, 9)],
    [f"{rank}c" for rank in range(1, 10)],
    [*"ESWNRGP", *(f"{rank}d" for rank in range(1, 10))],
]
FLOWERS: Final = [f"{number}{kind}" for kind in "fs" for number in range(1, 5)]


def by_lot(seed: int) -> Mapping[str, list[Case]]:
    """Return cases for each rule book; the same ones for the same seed."""
    chance = random.Random(seed)
    return {
        "american": _several(120, _american, chance),
        "banker": _several(60, _banker, chance),
        "hong_kong": _several(120, _hong_kong, chance),
        "hands": _several(160, _hand, chance),
        "wright_patterson": _several(24, _game, chance),
    }


def _several(
    number: int, draw: Callable[[random.Random], Case], chance: random.Random
) -> list[Case]:
    return [draw(chance) for _ in range(number)]


def _american(chance: random.Random) -> Case:
    way = chance.choice(["payment", "tournament"])
    names = {"payment": ["others", "no_jokers"], "tournament": ["wall_game", "exposed_1"]}[way]
    set_ = {name: chance.randrange(9) for name in names if chance.random() < 0.3}
    kind = chance.choice(["wall", "self_picked", "discard", "discard"])
    game: Case = {"kind": kind}
    if chance.random() < 0.3:
        game["dead"] = chance.sample(range(4), chance.randrange(1, 4))
    if kind != "wall":
        game |= {"winner": chance.randrange(4), "hand": _winning(chance)}
    if kind == "discard":
        game |= {"by": chance.randrange(4), "is_misnamed": chance.random() < 0.2}
    return {"rules": {"way": way, **set_}, "game": game}


def _winning(chance: random.Random) -> Case:
    hand: Case = {"value": chance.choice([*range(20, 101, 5)] * 5 + [15, 33, 105])}
    for name in ("has_no_jokers", "is_singles_and_pairs", "has_quint"):
        if chance.random() < 0.25:
            hand[name] = True
    if chance.random() < 0.7:
        hand["exposures"] = chance.choice([0, 1, 2, 2, 3, 4, 5])
    return hand


def _banker(chance: random.Random) -> Case:
    hand: Case = {"banker": chance.randrange(4), "winner": chance.choice([0, 1, 2, 3, 3, 4])}
    if chance.random() < 0.6:
        hand["by"] = chance.randrange(4)
    for name in ("is_standup", "is_in_between"):
        if chance.random() < 0.5:
            hand[name] = chance.random() < 0.7
    return {"hand": hand}


def _hong_kong(chance: random.Random) -> Case:
    rules: Case = {"maximum_faan": chance.choice([0, 3, 8, 10, 13, 100])}
    if chance.random() < 0.7:
        rules["base"] = chance.choice(["0.5", "0.1", "2", "0", "0.000000000007", "123456789012.25"])
    if chance.random() < 0.7:
        rules["responsibility"] = chance.choice(["half", "full"])
        rules["spiciness"] = chance.choice(["half", "spicy"])
    faan = chance.randrange(rules["maximum_faan"] + 1)
    winner, other = chance.sample(range(4), 2)
    won = {"winner": winner, "faan": faan}
    return {
        "rules": rules,
        "result": chance.choice(
            [
                {"kind": "draw"},
                {"kind": "false_win", "by": winner},
                {"kind": "self_draw", **won},
                {"kind": "self_draw", **won, "guarantor": other},
                {"kind": "discard", **won, "by": other},
                {"kind": "discard", **won, "by": other, "is_guaranteed": True},
            ]
        ),
    }


def _hand(chance: random.Random) -> Case:
    words = _words(chance, Counter(dict.fromkeys(chance.choice(POOLS), 4)))
    words += chance.sample(FLOWERS, chance.choice([0, 0, 1, 2, 4]))
    if chance.random() < 0.15:
        words.append(
            chance.choice(["5", "0c", "E3", "[EE", "[12c3d]", "(EEE)", "[1f2f3f]", "1c", "1234f"])
        )
    ready = chance.choice(["no", "no", "limit", "double-limit", "triple-limit"])
    winds = {"seat": chance.randrange(1, 5), "prevailing": chance.randrange(1, 5)}
    return {"words": words, "ready": ready, **winds}


def _words(chance: random.Random, left: Counter[str]) -> list[str]:
    """Return the words of a hand from the tiles that are left, which are taken."""
    groups = chance.randrange(5)
    words = [_set(chance, left) for _ in range(groups)]
    for _ in range(13 - 3 * groups):
        tile = chance.choice(sorted(left.elements()))
        # A tile that is there already makes pairs and Pungs likelier.
        again = [each for each in words if left[each] > 0 and not each.startswith(("[", "("))]
        tile = chance.choice(again) if again and chance.random() < 0.5 else tile
        left[tile] -= 1
        words.append(tile)
    return words


def _set(chance: random.Random, left: Counter[str]) -> str:
    whole = [tile for tile in sorted(left) if left[tile] == 4]
    runs = ([f"{low + at}{suit}" for at in range(3)] for suit in SUITS for low in range(1, 8))
    rows = [run for run in runs if all(left[tile] for tile in run)]
    if rows and (not whole or chance.random() < 0.3):
        tiles = chance.choice(rows)
        form = "[{}]"
    else:
        form, count = chance.choice([("[{}]", 3), ("[{}]", 4), ("({})", 4), ("[{}+", 4)])
        tiles = [chance.choice(whole)] * count
    for tile in tiles:
        left[tile] -= 1
    if form == "[{}+":
        return f"[{''.join(tiles[:3])}+{tiles[3]}]"
    return form.format("".join(tiles))


def _game(chance: random.Random) -> Case:
    return {"rounds": [_round(chance) for _ in range(chance.randrange(1, 24))]}


def _round(chance: random.Random) -> Case:
    played: Case = {"prevailing": chance.randrange(1, 5), "win": None}
    flowers: list[str] = []
    if chance.random() < 0.3:
        played["are_flowers_declared"] = False
    if chance.random() < 0.5:
        played["first_flower"] = chance.randrange(4)
        flowers = chance.sample(FLOWERS, 3)
    if chance.random() < 0.2:
        played["bouquets"] = [[chance.randrange(4), chance.choice(["flowers", "seasons"])]]
    if chance.random() < 0.8:
        by = chance.randrange(4)
        worth = chance.choice([*range(50, 1550, 50), "charleston", "first-discard", 0, 1501])
        left = Counter(dict.fromkeys(TILES, 4))
        hands = {seat: _words(chance, left) for seat in range(4) if seat != by}
        for flower in flowers:
            hands[chance.choice([*hands])].append(flower)
        told = [[seat, words] for seat, words in hands.items()]
        played |= {"win": {"by": by, "worth": worth}, "hands": told}
    return played
