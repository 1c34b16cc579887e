"""All settings of Stripe or none: what is missing or wrong is named, and no secret is ever told."""

import json
from itertools import combinations
from typing import Final

import pytest

from services.cli.terminal.options import InvalidSettings, read_settings
from services.verification.room import VerificationRoom
from services.wiring import table_service
from tests.cli.running import call, mahjic
from tests.conftest import Database
from tests.verification.deciding import room_on

KEY: Final = "rk_test_flibbertigibbet"
SECRETS: Final = ("whsec_slartibartfast", "whsec_humperdinck")
HASH_KEY: Final = "zyzzyva-quixotic-hash-key-of-a-test"
WHOLE: Final = {
    "MAHJIC_STRIPE_KEY": KEY,
    "MAHJIC_STRIPE_WEBHOOK_SECRETS": json.dumps(SECRETS),
    "MAHJIC_STRIPE_PRICE": "price_1",
    "MAHJIC_IDENTITY_HASH_KEY": HASH_KEY,
}
PARTS: Final = [
    given for count in range(1, len(WHOLE)) for given in combinations(WHOLE.items(), count)
]
ODD: Final = ("gibbet", "slarti", "humper", "zyzzyva", "quixotic")


def assert_silent(text: str) -> None:
    assert not [each for each in ODD if each in text], text


def give(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("given", PARTS, ids=lambda given: str(len(given)))
def test_some_of_them_are_refused_with_what_is_missing(
    given: tuple[tuple[str, str], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, dict(given))
    missing = [name for name in WHOLE if name not in dict(given)]
    with pytest.raises(InvalidSettings) as refused:
        read_settings()
    told = str(refused.value)
    assert told == f"Also give {', '.join(missing)}, or none of {', '.join(WHOLE)}."
    assert_silent(told + repr(refused.value))


@pytest.mark.parametrize("command", ["serve", "status"])
def test_a_process_does_not_start_with_some_of_them(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, {"MAHJIC_STRIPE_KEY": KEY, "MAHJIC_IDENTITY_HASH_KEY": HASH_KEY})
    ended = call(command)
    assert (ended.exit_code, ended.stdout) == (2, "")
    missing = "MAHJIC_STRIPE_WEBHOOK_SECRETS, MAHJIC_STRIPE_PRICE"
    assert ended.stderr.startswith(f"invalid_settings: Also give {missing}, or none of")
    assert_silent(ended.stderr)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAHJIC_STRIPE_KEY", "pk_test_flibbertigibbet"),
        ("MAHJIC_STRIPE_KEY", "rk_test_flibberti gibbet"),
        ("MAHJIC_STRIPE_KEY", "flibbertigibbet"),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", "whsec_slartibartfast"),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", '"whsec_slartibartfast"'),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", '{"slarti": "whsec_slartibartfast"}'),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", '["whsec_slartibartfast", ""]'),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", '["slartibartfast"]'),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", "[]"),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", json.dumps([f"whsec_slarti{n}" for n in range(5)])),
        ("MAHJIC_STRIPE_PRICE", "prod_flibbertigibbet"),
        ("MAHJIC_STRIPE_PRICE", "20"),
        ("MAHJIC_IDENTITY_HASH_KEY", "zyzzyva"),
        ("MAHJIC_STRIPE_API_BASE", "https://user:zyzzyva@stripe.example"),
        ("MAHJIC_STRIPE_API_BASE", "ftp://stripe.example"),
    ],
)
def test_a_wrong_one_is_refused_by_its_name_alone(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, {**WHOLE, name: value})
    with pytest.raises(InvalidSettings) as refused:
        read_settings()
    assert name in str(refused.value)
    assert_silent(str(refused.value) + repr(refused.value))
    assert refused.value.__cause__ is None
    ended = call("serve")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert_silent(ended.stderr)


def test_an_empty_one_is_named_and_not_taken_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, dict.fromkeys(WHOLE, ""))
    with pytest.raises(InvalidSettings) as refused:
        read_settings()
    for name in WHOLE:
        assert f"{name}: It is set but empty." in str(refused.value)


async def test_what_is_made_of_them_shows_none(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, WHOLE)
    settings = read_settings()
    assert_silent(f"{settings} {settings!r} {settings.model_dump()} {settings.model_dump_json()}")
    service = table_service(settings, own_database.pool)
    account = service.process.stripe_account
    assert account is not None
    assert account.webhook_secrets == SECRETS
    room: VerificationRoom = room_on(
        own_database.pool, service.recording.waterline, service.recording.ids_and_times, account
    )
    assert_silent(f"{account!r} {account.hashes!r} {service!r} {room!r}")
    assert_silent(repr(vars(account.stripe)))
    for arguments in (("status",), ("status", "--json"), ("verification", "list")):
        ended = await mahjic(*arguments)
        assert_silent(ended.stdout + ended.stderr)
