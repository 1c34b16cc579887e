"""Makes claims by chance: lawful ones, and such that one or more hands have spoiled."""

import json
from random import Random
from typing import Any, Final


class Written(str):
    """A number as it is written, which JSON takes as it stands."""

    __slots__ = ()


PEOPLE: Final = (
    *("ada@example.com", "bo@example.com", "PRIVATE:cy@x.org", "ANON:Dee", "bob@mahjic.org"),
    *("Eve@gmail.com", "f\u00e9.g@m\u00fcnchen.de", "ANON:fly", "g_h+i@x.org"),
)
NUMBERS: Final = tuple(
    Written(each)
    for each in (
        *("0", "1", "2", "3", "-1", "199", "200", "201", "1.0", "2.5", "1e2", "1e+2", "1E5"),
        *("-0", "-0.0", "0.001", "0.005", "12e-1", "12e-3", "1.50", "12345.67", "-999999.99"),
        *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" * 30),
        *("1e999", "-1e999", "1e400", "1E+400", "1e-400", "0e-400", "1e-99999999999", "1" * 400),
        *("1000000", "1000000.00", "1000000.01", "-1000000", "-1000001", "0e99999999"),
        *("1.5" + "0" * 40, "0.1" + "0" * 40 + "1"),
    )
)
OTHERS: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, "x", "", [], {}, [1], {"a": 1}, [[]], {"email": 1}),
    *("\0", {"\0": 1}, ["\0"]),
)
SPOILED: Final[dict[str, tuple[Any, ...]]] = {
    "email": (
        *PEOPLE,
        *("ADA@EXAMPLE.COM ", " ada@example.com", "PRIVATE:ada@example.com", "anon: FLY", "d", ""),
        *("PRIVATE:bob@mahjic.org", "BOB@mahjic.org", "PRIVATE:", "ANON:a@b.co", "a..b@x.org"),
        *("d@localhost", "d@1.2.3.4", "x" * 400, "x" * 401, "a\0b@x.org", "ANON:a\0", "a b@x.org"),
        *("\uff41\uff44\uff41@example.com", "PRIVATE:ANON:x", ".a@x.org", "a@x.org\n", "a@b@c.de"),
    ),
    "name": (None, "Ada", "ADA ", "Bo", "", "\u202e", "A\0", "x" * 81, "x" * 401),
    "ref": (None, "A", "B", "", "x" * 64, "x" * 65, "x" * 401, "a\tb", "a\u202eb", "a\0"),
    "points": NUMBERS,
    "games_played": NUMBERS,
    "mahjongs": NUMBERS,
    "wall_games": NUMBERS,
    "session_date": (
        *("2026-01-31", "2026-03-01", "2026-03-02", "1899-12-31", "1900-01-01", "2026-02-30"),
        *("x" * 40, "x" * 41, "x" * 401, "", "2026-01-31 ", "2026-01-3\0"),
    ),
    "game_type": ("league", "tournament", "social", "League", "", None, "league\0"),
    "source_id": ("a-club", "b", None, "", "x" * 100, "x" * 101, "x" * 401, "a-club\0"),
    "if_similar": ("warn", "refuse", "x", None, ""),
    "allow_duplicate": (True, False, None),
    "whole_night": (True, False, None),
    "idempotency_key": ("k", "", None, "x" * 600, "x" * 601, "\0"),
    "reason": ("wrong_result", "entered_twice", "other", "x", None),
    "note": ("n", "", None, "x" * 500, "x" * 501, "a\u202e", "a\0b", "l\nm"),
}
STRANGE: Final = ("x", "a/b~c", "\0", "k" * 300, "\u00e9", "table")


def written(node: Any) -> str:
    """Return a claim as JSON, its numbers as they are written."""
    match node:
        case Written():
            return str(node)
        case dict():
            return "{" + ",".join(f"{json.dumps(k)}:{written(v)}" for k, v in node.items()) + "}"
        case list():
            return "[" + ",".join(map(written, node)) + "]"
    return json.dumps(node, ensure_ascii=False)


def a_lawful_claim(chance: Random) -> dict[str, Any]:
    """Return a session that nothing is wrong with."""
    game_type = chance.choice(["league", "tournament", "social"])
    claim: dict[str, Any] = {
        "session_date": f"2026-01-{chance.randint(1, 31):02}",
        "game_type": game_type,
        "rounds": [_round(chance, at, game_type) for at in range(chance.choice([1, 1, 2, 4]))],
    }
    for name, values in (("source_id", ("a-club", None)), ("allow_duplicate", (True, False))):
        if chance.random() < 0.2:
            claim[name] = chance.choice(values)
    return claim


def _round(chance: Random, at: int, game_type: str) -> dict[str, Any]:
    won = [chance.randint(0, 3) for _ in range(chance.choice([2, 3, 4, 4]))]
    wall_games = chance.randint(1, 3)
    people = chance.sample(PEOPLE, len(won))
    if len(won) == 2 and "bob@mahjic.org" in people:
        people = ["ada@example.com", "ANON:Dee"]
    players = []
    for who, mahjongs in zip(people, won, strict=True):
        seat = {"email": who, "games_played": sum(won) + wall_games, "mahjongs": mahjongs}
        if game_type != "social" or chance.random() < 0.3:
            cents = chance.randint(-99_999, 99_999)
            seat["points"] = Written(
                chance.choice([f"{cents / 100:.2f}", f"{cents}", "1e2", "-0.0"])
            )
        if chance.random() < 0.3:
            seat["name"] = chance.choice([" Ada ", "ADA", "Bo", None])
        players.append(seat)
    ref = {"ref": f"\u00e9{at}"} if chance.random() < 0.3 else {}
    return {"players": players, "wall_games": wall_games, **ref}


def spoil(claim: dict[str, Any], chance: Random) -> None:
    """Change one thing in a claim, which may leave it lawful."""
    node = chance.choice(list(_nodes(claim)))
    if isinstance(node, list):
        _spoil_list(node, chance)
        return
    name = chance.choice([*node, *STRANGE, *SPOILED]) if chance.random() < 0.3 else None
    if name is not None:
        node[name] = _copied(chance.choice([*SPOILED.get(name, ()), *OTHERS]))
    elif node:
        name = chance.choice(list(node))
        if chance.random() < 0.2:
            del node[name]
        else:
            others = SPOILED.get(name, OTHERS) if chance.random() < 0.7 else (*OTHERS, *NUMBERS)
            node[name] = _copied(chance.choice(others))


def _spoil_list(node: list[Any], chance: Random) -> None:
    what = chance.choice(["less", "again", "more", "other", "many"])
    if what == "more" or not node:
        node.insert(chance.randint(0, len(node)), _copied(chance.choice(OTHERS)))
    elif what == "less":
        del node[chance.randrange(len(node))]
    elif what == "again":
        node.append(_copied(chance.choice(node)))
    elif what == "other":
        node[chance.randrange(len(node))] = _copied(chance.choice(OTHERS))
    else:
        node.extend(_copied(node[0]) for _ in range(chance.choice([3, 99, 100])))


def _nodes(node: Any) -> list[Any]:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = [node] if isinstance(node, dict | list) else []
    return own + [each for part in inner for each in _nodes(part)]


def _copied(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: _copied(each) for name, each in node.items()}
    return [_copied(each) for each in node] if isinstance(node, list) else node
