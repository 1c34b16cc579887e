"""How people say how they are seen: first, ever after, and with every mistake told at its field."""

import asyncio

import pytest

from shared.mail.no_more import end_mail, wants_no_more
from tests.site.me.conftest import ADA, BEA, CARA, CHOSEN, DORA, Member, Town
from tests.site.players.reading import PageRead

FOUR = {ADA: 2, BEA: 1, CARA: 0, DORA: 1}


async def on_record(town: Town, address: str = ADA) -> dict[str, object]:
    row = await town.house.pool.fetchrow(
        """SELECT name, region, is_private, privacy_by, wants FROM mahjic.people
        LEFT JOIN mahjic.addresses ON address = email
        LEFT JOIN mahjic.mail_choices USING (account_id) WHERE email = $1""",
        address,
    )
    assert row is not None
    return dict(row)


def chosen(page: PageRead, name: str) -> list[str]:
    """Return which answers of a group are chosen."""
    found = page.all("input", name=name)
    return [each.attributes["value"] for each in found if "checked" in each.attributes]


async def test_the_first_time_asks_for_all_four_and_leads_to_the_page(town: Town) -> None:
    await town.play(FOUR)
    member = await town.member()
    page = await member.page("/me/welcome")
    assert await town.id_of(ADA) in page.main.text
    assert chosen(page, "seen") == ["visible"]
    assert chosen(page, "mail") == ["important"]
    assert page.one("select").all("option", selected="") is not None
    answer = await member.send(
        "/me/welcome",
        {"name": "  Ada   Lovelace ", "region": "midwest", "seen": "private", "mail": "summary"},
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/me")
    assert await on_record(town) == {
        "name": "Ada Lovelace",
        "region": "midwest",
        "is_private": True,
        "privacy_by": "player",
        "wants": "summary",
    }
    assert (await member.page("/me")).main.one("h1").text == "Ada Lovelace"
    assert await member.leads_to("/me/welcome") == "/me/settings"


async def test_somebody_who_never_played_becomes_a_player_by_the_button_and_not_before(
    town: Town,
) -> None:
    member = await town.member()
    page = await member.page("/me/welcome")
    assert "Get my Mahjic ID" in page.main.text
    wrong = await member.send("/me/welcome", {**CHOSEN, "name": "A"})
    assert wrong.status_code == 422
    for path in ("/me/settings",):
        answer = await member.send(path, CHOSEN)
        assert (answer.status_code, "Get my Mahjic ID" in answer.text) == (409, True)
    assert await town.house.pool.fetchval("SELECT count(*) FROM mahjic.players") == 0
    answers = await asyncio.gather(*(member.send("/me/welcome", CHOSEN) for _ in range(3)))
    assert {each.status_code for each in answers} == {303}
    who = await town.id_of(ADA)
    assert await town.house.pool.fetchval("SELECT count(*) FROM mahjic.players") == 1
    assert who in (await member.page("/me")).main.text
    # The first session finds them.
    told = await town.play(FOUR)
    assert {each["player"]: each["player_id"] for each in told["results"]}[ADA] == who


async def test_nobody_becomes_the_imaginary_player(town: Town) -> None:
    member = await town.member("bob@mahjic.org")
    answer = await member.send("/me/welcome", CHOSEN)
    assert (answer.status_code, "Bob is imaginary" in answer.text) == (422, True)
    assert await town.house.pool.fetchval("SELECT count(*) FROM mahjic.mail_choices") == 0


async def test_what_was_set_before_is_chosen_already(town: Town) -> None:
    await town.play({f"PRIVATE:{ADA}": 2, BEA: 1, CARA: 0, DORA: 1})
    member = await town.member()
    page = await member.page("/me/welcome")
    assert chosen(page, "seen") == ["private"]
    assert "As my club: West" in page.one("select").text
    told = {"name": "Ada", "region": "west", "seen": "visible", "mail": "nothing"}
    await member.send("/me/welcome", told)
    page = await member.page("/me/settings")
    assert page.one("input", name="name").attributes["value"] == "Ada"
    assert chosen(page, "seen") == ["visible"]
    assert chosen(page, "mail") == ["nothing"]
    (region,) = (
        each.attributes["value"]
        for each in page.one("select").all("option")
        if "selected" in each.attributes
    )
    assert region == "west"


async def test_all_of_it_can_be_changed_and_taken_back(town: Town) -> None:
    await town.play(FOUR)
    member = await town.welcomed(name="Ada", region="west", mail="summary")
    answer = await member.send("/me/settings", {**CHOSEN, "seen": "private"})
    assert answer.headers["location"] == "/me/settings?saved=yes"
    assert "Saved." in (await member.page("/me/settings?saved=yes")).one("p", role="status").text
    assert await on_record(town) == {
        "name": None,
        "region": None,
        "is_private": True,
        "privacy_by": "player",
        "wants": "nothing",
    }


async def offered(town: Town, *names: str) -> None:
    """Let clubs call Ada by these names."""
    for number, name in enumerate(names):
        key = await town.running.source_key(f"club-{number}")
        await town.play(FOUR, key=key, on=f"2026-01-0{number + 1}")
        await town.house.pool.execute(
            "UPDATE mahjic.acquaintances SET name = $2 WHERE source = $1 AND player_id = $3",
            f"club-{number}",
            name,
            await town.id_of(ADA),
        )


async def test_names_that_clubs_sent_are_proposed_each_with_who_sent_it(town: Town) -> None:
    await offered(town, "Ada B.", "Ada Byron", "Ada B.", "ada@home.example", "MJ-7K3Q9XZM")
    member = await town.member()
    page = await member.page("/me/welcome")
    labels = [each.text for each in page.main.all("label", class_="check")]
    assert labels[:2] == [
        "Ada B. as Club 0, Club 2 call you",
        "Ada Byron as Club 1 calls you",
    ]
    assert "home.example" not in page.html
    # Nobody is named by a button alone.
    assert chosen(page, "pick") == []
    answer = await member.send("/me/welcome", {**CHOSEN, "picks": "yes"})
    assert (answer.status_code, "Choose the name" in answer.text) == (422, True)
    assert (await town.ask(f"/players/{await town.id_of(ADA)}")).text.count("Ada") == 0
    await member.send("/me/welcome", {**CHOSEN, "picks": "yes", "pick": "name:Ada Byron"})
    assert (await on_record(town))["name"] == "Ada Byron"
    assert chosen(await member.page("/me/settings"), "pick") == ["name:Ada Byron"]
    await member.send("/me/settings", {**CHOSEN, "picks": "yes", "pick": "none"})
    assert (await on_record(town))["name"] is None
    assert chosen(await member.page("/me/settings"), "pick") == ["none"]
    # Typed, and no answer chosen: what was typed is meant.
    await member.send("/me/settings", {**CHOSEN, "picks": "yes", "name": "Countess"})
    assert (await on_record(town))["name"] == "Countess"
    # Two answers are asked about, and what was typed stays.
    answer = await member.send(
        "/me/settings", {**CHOSEN, "picks": "yes", "pick": "name:Ada B.", "name": "Lovelace"}
    )
    assert (answer.status_code, 'value="Lovelace"' in answer.text) == (422, True)
    assert (await on_record(town))["name"] == "Countess"


MISTAKES = [
    ({"name": "A"}, "name", "at least 2 characters"),
    ({"name": "x" * 41}, "name", "at most 40"),
    ({"name": "x" * 4000}, "name", "at most 40"),
    ({"name": "Ad\u202ea"}, "name", "invisible"),
    ({"name": "Ad\u200ba"}, "name", "invisible"),
    ({"name": "\u0410da"}, "name", "alphabet"),
    ({"name": "MJ-7K3Q9XZM"}, "name", "Mahjic ID"),
    ({"name": "ada@example.com"}, "name", "address"),
    ({"name": "\U0001d400da"}, "name", "disguise"),
    ({"pick": "name:ada@example.com", "picks": "yes", "name": ""}, "name", "address"),
    ({"pick": "nonsense", "picks": "yes"}, "name", "Choose the name"),
    ({"region": "atlantis"}, "region", "regions"),
    ({"seen": ""}, "seen", "see you"),
    ({"seen": "sometimes"}, "seen", "see you"),
    ({"mail": ""}, "mail", "mail"),
    ({"mail": "daily"}, "mail", "mail"),
]


@pytest.mark.parametrize("path", ["/me/welcome", "/me/settings"])
async def test_each_mistake_is_told_at_its_field_and_nothing_is_saved(
    town: Town, path: str
) -> None:
    await town.play(FOUR)
    member = await town.welcomed(name="Ada")
    before = await on_record(town)
    for wrong, field, words in MISTAKES:
        sent = {"name": "Ada Lovelace", "region": "west", "seen": "private", "mail": "summary"}
        answer = await member.send(path, {**sent, **wrong})
        page = refused(answer.text, field, words)
        assert answer.status_code == 422
        if "name" not in wrong and field != "name":
            assert page.one("input", name="name").attributes["value"] == "Ada Lovelace"
        if field != "seen":
            assert chosen(page, "seen") == ["private"]
        assert await on_record(town) == before, wrong
    answer = await member.send(path, {"region": "atlantis"})
    assert "3 things need your attention" in answer.text


def refused(html: str, field: str, words: str) -> PageRead:
    page = PageRead(html)
    summary = page.one("div", class_="summary")
    assert summary.links() == [f"#{field}"]
    assert words in page.one("p", id=f"{field}-wrong").text
    # The link leads to something that can have the focus.
    (target,) = [
        each
        for tag in ("input", "select")
        for each in page.all(tag)
        if each.attributes.get("id") == field
    ]
    assert target.attributes["name"] == field
    return page


async def test_what_one_chooses_changes_nothing_of_others(town: Town) -> None:
    await town.play(FOUR)
    ada, bea = await town.welcomed(ADA, name="Ada"), await town.welcomed(BEA, name="Bea")
    before = await on_record(town, BEA)
    # Whatever else a form says, it is about whoever is logged in.
    told = {"player_id": await town.id_of(BEA), "email": BEA, "address": BEA}
    await ada.send("/me/settings", {**CHOSEN, **told, "name": "Ada II", "seen": "private"})
    assert await on_record(town, BEA) == before
    assert (await on_record(town, ADA))["name"] == "Ada II"
    assert (await bea.page("/me")).main.one("h1").text == "Bea"


async def test_whoever_chooses_summaries_gets_them_again(town: Town) -> None:
    await town.play(FOUR)
    member = await town.welcomed(mail="summary")
    hashes = town.running.service.process.outbox.hashes
    assert hashes is not None
    own = hashes.of(ADA)
    await end_mail(town.house.pool, own, at=town.house.clock.now())
    assert chosen(await member.page("/me/settings"), "mail") == ["important"]
    # Changing something else does not begin them anew.
    await member.send("/me/settings", {**CHOSEN, "mail": "important"})
    assert await wants_no_more(town.house.pool, own)
    await member.send("/me/settings", {**CHOSEN, "mail": "summary"})
    assert not await wants_no_more(town.house.pool, own)
    assert chosen(await member.page("/me/settings"), "mail") == ["summary"]


async def test_of_somebody_who_was_forgotten_meanwhile_nothing_is_written(town: Town) -> None:
    await town.play(FOUR)
    member: Member = await town.welcomed(name="Ada")
    await town.house.pool.execute("DELETE FROM mahjic.accounts")
    answer = await member.send("/me/settings", {**CHOSEN, "name": "Ada again"})
    assert answer.status_code == 401
    assert (await on_record(town))["name"] == "Ada"


@pytest.mark.parametrize("seen", ["private", "visible"])
async def test_whoever_goes_private_goes_with_all_players_and_nothing_more_is_shown(
    town: Town, seen: str
) -> None:
    work, hidden = "ada@work.example.com", "ada@home.example.com"
    await town.play(FOUR)
    await town.play({work: 2, f"PRIVATE:{hidden}": 1, CARA: 0, DORA: 1}, on="2026-02-01")
    member = await town.welcomed(ADA, name="Ada")
    for address in (work, hidden):
        await member.send("/account/addresses", {"email": address})
        mail = (await town.house.mails())[-1]
        assert mail.address == address
        assert (
            await member.send("/account/addresses/link", {"token": mail.link_token})
        ).status_code == 303
    page = await member.page("/me")
    assert page.main.one("h1").text == "Ada"
    assert "/me/merge" in page.main.links()
    await member.send("/me/settings", {**CHOSEN, "name": "Ada", "seen": seen})
    told = [(await on_record(town, each))["is_private"] for each in (ADA, work, hidden)]
    assert told == ([True, True, True] if seen == "private" else [False, False, True])
    assert (await on_record(town, work))["name"] is None
