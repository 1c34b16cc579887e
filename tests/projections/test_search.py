"""Search finds people by what they chose to be called, and by nothing else."""

from tests.projections.conftest import World


async def found(world: World, q: str) -> list[str]:
    return [each["player_id"] for each in (await world.get("/v1/players/search", q=q))["players"]]


FOUND = (
    ("Ada Lovelace", "ad"),
    ("Ada Lovelace", "LOVE"),
    ("Ada Lovelace", "love ada"),
    ("José Núñez", "jose nunez"),
    ("Jose\u0301", "José"),
    ("O'Brien-Smith", "smith"),
    ("O'Brien-Smith", "o'brien"),
    ("\uff21\uff44\uff41", "ada"),  # Full-width letters.
    ("Зоя Ильина", "иль"),
    ("R2 D2", "d2"),
    ("Li & Wu (Bam)", "bam"),
)


async def test_a_name_is_found_by_the_beginnings_of_its_words(world: World) -> None:
    who = await world.season.player(1)
    await world.season.player(2, name="Zed")
    for name, q in FOUND:
        await world.season.change(who, name=name)
        assert await found(world, q) == [who], (name, q)


async def test_every_word_must_begin_a_word_of_the_name(world: World) -> None:
    ada = await world.season.player(1, name="Ada")
    for q in ("da", "xx", "ada zed", "ada | zed", "!!", "''", "\\\\", "& | !", "ada:* | b"):
        assert await found(world, q) == [], q
    for q in ("ada:*", "'ada'", "!ada"):
        assert await found(world, q) == [ada], q


async def test_an_id_is_found_by_its_beginning(world: World) -> None:
    low, high = await world.season.player(1), await world.season.player(32**6 * 7)
    assert await found(world, "mj-0") == [low]
    assert await found(world, "MJ-ooo") == [low]
    assert await found(world, high) == [high]
    assert await found(world, "MJ-7K") == []


async def test_private_anonymous_erased_and_offered_names_are_never_found(world: World) -> None:
    club = await world.season.source("club")
    ada = await world.season.player(1, name="Ada", is_private=True)
    await world.season.anonymous(2, club)
    erased = await world.season.player(3, name="Adam")
    await world.season.player(4)
    await world.season.erase(erased)
    for q in ("ada", "nick", "offered", "address", "MJ-0000001", "MJ-0000003"):
        assert await found(world, q) == []
    await world.season.change(ada, is_private=False)
    assert await found(world, "ada") == [ada]


async def test_a_search_is_short_and_in_the_order_of_names(world: World) -> None:
    names = [f"Ann {letter}" for letter in "dacb"]
    for number, name in enumerate(names):
        await world.season.player(number, name=name)
    page = await world.get("/v1/players/search", q="ann", limit=3)
    assert [each["name"] for each in page["players"]] == ["Ann a", "Ann b", "Ann c"]
    for q in ("a", "", "x" * 101, "a\0b"):
        answer = await world.ask("/v1/players/search", {"q": q})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_parameter")
