# ruff: noqa: RUF001 - the letters that look alike are meant.
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
# Each name with what people type for it, and other ways to write either.
FOLDED = {
    "Łukasz Żółć": ("lukasz", "LUKASZ", "łukasz", "ŁUKASZ", "zolc", "żółć"),
    "Søren": ("soren", "SØREN", "Soren", "so\u0308ren"),
    "Straße": ("strasse", "STRASSE", "straße", "STRAẞE", "stras"),
    "Strasse": ("straße",),
    "Æsa Œuvre": ("aesa", "oeuvre", "ÆSA"),
    "Đặng Thị": ("dang", "đặng", "thi"),
    "Işıl İnci": ("isil", "ISIL", "inci", "INCI", "ışıl"),
    "Guðrún Þór": ("gudrun", "thor", "þor", "GUÐ"),
    "Əliyev": ("eliyev",),
    "Νίκος": ("νικος", "ΝΊΚΟΣ", "νικοσ"),
    "O'Neil": ("oneil", "ONEIL", "O'Neil", "O’Neil", "o‘neil", "oʼneil", "o´neil", "neil", "o`n"),
    "O’Neil": ("oneil", "O'Neil", "o＇neil", "neil"),
    "D’Angelo Smith": ("dangelo", "d'angelo smith", "angelo", "smith d’a"),
    "Gal·la": ("galla", "gal·la"),
    "“Ace” Kim—Lee": ("ace", "kim", "lee", "“ace”"),
    "陳大文": ("陳", "陳大", "陳大文"),
    "明": ("明",),
    "ハル": ("ハ", "ﾊﾙ"),
    "김철수": ("김", "김철"),
    "Ａｄａ": ("ada", "ａｄａ"),
}
MISSED = {"Łukasz": ("ukasz", "lukas z"), "O'Neil": ("neill", "eil"), "陳大文": ("大", "明")}


async def test_a_name_is_found_by_the_beginnings_of_its_words(world: World) -> None:
    who = await world.season.player(1)
    await world.season.player(2, name="Zed")
    for name, q in FOUND:
        await world.season.change(who, name=name)
        assert await found(world, q) == [who], (name, q)


async def test_index_and_question_are_folded_alike(world: World) -> None:
    who = await world.season.player(1)
    await world.season.player(2, name="Zed")
    for name, questions in FOLDED.items():
        await world.season.change(who, name=name)
        for q in questions:
            assert await found(world, q) == [who], (name, q)
    for name, questions in MISSED.items():
        await world.season.change(who, name=name)
        for q in questions:
            assert await found(world, q) == [], (name, q)


async def test_every_letter_of_latin_that_is_no_plain_one_is_folded_to_plain_ones(
    world: World,
) -> None:
    letters = [chr(code) for code in range(0xC0, 0x180) if chr(code).isalpha()]
    folded = await world.pool.fetch(
        "SELECT letter, mahjic.folded_name(letter) AS plain FROM unnest($1::text[]) AS letter",
        letters,
    )
    assert len(folded) > 180
    # What is left of ŉ and ŀ beside the letter is the apostrophe that all apostrophes are.
    assert {row["letter"] for row in folded if not row["plain"].isascii()} == set()
    assert {row["plain"] for row in folded if not row["plain"].islower()} == set()


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
    for q in ("a", "", "x" * 101, "a\0b", "é", "ł", "a\u202eb", "a\ufffe"):
        answer = await world.ask("/v1/players/search", {"q": q})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_parameter")
