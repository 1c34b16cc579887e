"""How people find players: by name in any order, by the beginning of names, and by Mahjic ID."""

import pytest

from services.projections.profiles.finding import WordsNotSearched
from services.site.reads import SiteReads
from tests.projections.conftest import World
from tests.projections.season import mj


async def found(pages: SiteReads, words: str) -> list[str]:
    return [each["name"] for each in (await pages.players.find(words))["players"]]


@pytest.mark.parametrize(
    "words",
    [
        "barbara miller",
        "miller barbara",
        "MILLER, Barbara",
        "  mil   bar ",
        "bárbara müller",
        "Bar",
    ],
)
async def test_case_accents_and_the_order_of_names_are_forgiven(
    world: World, pages: SiteReads, words: str
) -> None:
    await world.season.player(1, name="Barbara Miller")
    await world.season.player(2, name="Bárbara Muller")
    await world.season.player(3, name="Miller Private Barbara", is_private=True)
    await world.season.player(4, name="Someone Else")
    names = await found(pages, words)
    if "ü" in words:
        assert names == ["Bárbara Muller"]
    else:
        assert "Barbara Miller" in names
    assert set(names) <= {"Barbara Miller", "Bárbara Muller"}


async def test_a_mahjic_id_is_found_in_any_case(world: World, pages: SiteReads) -> None:
    ada = await world.season.player(1, name="Ada")
    for words in (ada, ada.lower(), f"  {ada.lower()} ", ada.replace("0", "O"), ada[:6]):
        answer = await pages.players.find(words)
        assert [each["player_id"] for each in answer["players"]] == [ada], words
        assert answer["mistyped"] is None
        assert answer["q"] == words.strip()


async def test_a_mistyped_id_is_told_apart_from_an_unknown_one(
    world: World, pages: SiteReads
) -> None:
    ada = await world.season.player(1, name="Ada")
    private = await world.season.player(2, is_private=True)
    for unknown in (mj(3), private):
        answer = await pages.players.find(unknown)
        assert (answer["players"], answer["mistyped"]) == ([], None)
    for mistyped in (ada[:-1] + "0", ada + "0", ada[:-1] + "U", ada[:-1] + "é"):
        answer = await pages.players.find(mistyped)
        assert answer["players"] == []
        assert answer["mistyped"]


async def test_a_merged_id_finds_the_player_it_is_read_as(world: World, pages: SiteReads) -> None:
    ada, bo = await world.season.player(1, name="Ada"), await world.season.player(2, name="Bo")
    cy = await world.season.player(3, is_private=True)
    await world.season.merge(bo, ada)
    await world.follow()
    assert await found(pages, bo) == ["Ada"]
    assert await pages.players.merged_into(bo) == ada
    assert await pages.players.merged_into(ada) is None
    assert await pages.players.merged_into(cy) is None
    await world.season.change(ada, is_private=True)
    assert await found(pages, bo) == []
    assert await pages.players.merged_into(bo) is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("", "string_too_short"),
        ("  ", "string_too_short"),
        ("a", "string_too_short"),
        ("x" * 101, "string_too_long"),
        ("Ada\x00", "forbidden_character"),
        ("Ada\u202e", "forbidden_character"),
        ("Ada\ud800", "forbidden_character"),
    ],
)
async def test_words_that_cannot_be_searched_are_refused_with_what_to_do(
    pages: SiteReads, words: str, code: str
) -> None:
    with pytest.raises(WordsNotSearched) as refused:
        await pages.players.find(words)
    (mistake,) = refused.value.extra["errors"]
    assert (mistake["code"], mistake["pointer"]) == (code, "/query/q")


@pytest.mark.parametrize("words", ["李", "''", "&|!:*", "MJ-", "mj-é", "%%", "(((", "\\\\"])
async def test_whatever_is_typed_is_answered(pages: SiteReads, words: str) -> None:
    assert (await pages.players.find(words))["players"] == []
