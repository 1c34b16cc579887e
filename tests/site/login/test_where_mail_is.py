"""A site without a mail server says where its mails are, and never what they say."""

from dataclasses import replace
from typing import Final

import pytest

from services.ports import histories_on, login_ports
from services.site.api import SITE_ROUTES
from services.site.kit.cookies import DAY_S
from services.site.login.asking import ASKING_ROUTES
from services.site.login.door import LoginDoor, MailGoes
from services.wiring import table_service
from shared.settings import Settings
from tests.accounts.people import ALICE, House
from tests.conftest import Database
from tests.site.login.visiting import Visitor, a_browser
from tests.site.serving import ORIGIN, a_door, serve_pages

NO_SERVER: Final = "This site has no mail server."
FILES, WAITS = (
    "Its mails are files on the machine",
    "Your mail waits until the people who run this site",
)


@pytest.mark.parametrize(
    ("goes", "said", "unsaid"),
    [
        ("out", [], [NO_SERVER, FILES, WAITS]),
        ("to_files", [NO_SERVER, FILES], [WAITS]),
        ("by_hand", [NO_SERVER, WAITS], [FILES]),
    ],
)
async def test_the_pages_say_where_mail_is_and_never_the_code(
    house: House, goes: MailGoes, said: list[str], unsaid: list[str]
) -> None:
    app = serve_pages(ASKING_ROUTES, replace(a_door(house), mail_goes=goes))
    async with a_browser(app, house, ORIGIN) as visitor:
        pages = [(await visitor.get("/login")).text]
        mail = await visitor.ask(ALICE)
        pages.append((await visitor.get("/login/sent")).text)
        wrong = await visitor.send("/login/code", {"code": "0000-0000"})
        pages.append(wrong.text)
    for page in pages:
        assert [words for words in said if words not in page] == []
        assert [words for words in unsaid if words in page] == []
        for secret in (mail.code, mail.code.replace("-", ""), mail.link_token):
            assert secret not in page
    assert len(SITE_ROUTES) > len(ASKING_ROUTES)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"smtp_url": "smtp://localhost:25", "mail_from": "a@example.org"}, "out"),
        ({}, "to_files"),
        ({"database_url": "postgresql://x"}, "by_hand"),
    ],
)
async def test_the_settings_decide_where_mail_goes(
    database: Database, settings: dict[str, str], expected: MailGoes
) -> None:
    service = table_service(Settings.model_validate(settings), database.pool)
    (door,) = [
        each
        for each in login_ports(
            service.process,
            service.recording,
            histories_on(service.process.settings, service.logs, service.views.reader),
        )
        if isinstance(each, LoginDoor)
    ]
    assert door.mail_goes == expected


async def test_a_browser_is_known_for_a_day_from_the_last_time_that_it_asked(
    visitor: Visitor,
) -> None:
    """Otherwise the code of a mail could outlast the cookie that it needs."""
    first = await visitor.send("/login", {"email": ALICE})
    second = await visitor.send("/login", {"email": ALICE})
    (told,) = {each.headers["set-cookie"] for each in (first, second)}
    assert f"Max-Age={DAY_S};" in told
    for path in ("/login/passkey/options", "/login/passkey/options"):
        assert (await visitor.send(path)).headers["set-cookie"] == told
