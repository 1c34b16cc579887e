"""docker-compose.yml is read by Compose, and holds what a deployment must hold."""

import re
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from shared.settings import Settings
from tests.deploy.conftest import COMMANDS, SECRETS
from tests.deploy.tools import DEPLOY, need, run

Compose = dict[str, Any]
STRIPE = (
    "MAHJIC_STRIPE_KEY",
    "MAHJIC_STRIPE_WEBHOOK_SECRETS",
    "MAHJIC_STRIPE_PRICE",
    "MAHJIC_IDENTITY_HASH_KEY",
)
MAHJIC = set(COMMANDS)


def test_compose_reads_it() -> None:
    ended = read_by_compose(SECRETS)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("missing", sorted(SECRETS))
def test_nothing_starts_while_a_secret_is_missing(missing: str) -> None:
    ended = read_by_compose({**SECRETS, missing: ""})
    assert ended.returncode != 0
    assert missing in ended.stderr
    assert "deploy/compose.env.example" in ended.stderr


def read_by_compose(secrets: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Let Compose read the file with the example of its secrets, and some filled in."""
    compose = need("docker-compose", "docker-compose")
    example = str(DEPLOY / "compose.env.example")
    return run([compose, "--env-file", example, "config", "-q"], environment=secrets)


def test_every_process_of_mahjic_is_there_and_runs_what_it_is_named_after(compose: Compose) -> None:
    services = compose["services"]
    commands = {name: services[name]["command"] for name in MAHJIC}
    assert commands.pop("init") == ["kafka", "init"]
    assert commands.pop("mail") == ["mail", "send"]
    assert commands.pop("webhooks") == ["webhooks", "send"]
    assert commands.pop("verification") == ["verification", "work"]
    assert commands.pop("transparency") == ["transparency", "follow"]
    assert commands == {name: [name] for name in commands}
    assert {name for name in services if services[name].get("build")} == MAHJIC


@pytest.mark.parametrize("name", sorted(MAHJIC))
def test_the_settings_of_a_process_hold(
    compose: Compose, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in compose["services"][name]["environment"].items():
        if value is not None:  # Without one it is passed on if it is set, and only then.
            monkeypatch.setenv(variable, value)
    settings = Settings()
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql://mahjic:pg@postgres:5432/mahjic"
    assert settings.kafka_servers == "kafka:9092"
    assert settings.kafka_replication == 1
    # One name for several containers would be a war of restarts.
    assert settings.instance is None


def test_those_who_answer_believe_the_network_of_the_proxy_and_the_others_nobody(
    compose: Compose,
) -> None:
    (front,) = compose["networks"]["front"]["ipam"]["config"]
    believed = {
        name: compose["services"][name]["environment"].get("MAHJIC_TRUSTED_PROXIES")
        for name in MAHJIC
    }
    assert {name for name, proxies in believed.items() if proxies is not None} == {
        "ingest",
        "read",
        "site",
    }
    assert set(believed.values()) == {f'["{front["subnet"]}"]', None}


def test_only_the_proxy_and_grafana_can_be_reached_and_only_from_this_machine(
    compose: Compose,
) -> None:
    ports = {name: each["ports"] for name, each in compose["services"].items() if "ports" in each}
    assert ports == {"proxy": ["127.0.0.1:8000:8080"], "grafana": ["127.0.0.1:3000:3000"]}
    assert compose["networks"]["back"]["internal"] is True
    for name in ("postgres", "kafka", "relay", "rater", "projections", "init"):
        assert list(compose["services"][name]["networks"]) == ["back"], name
    for name in ("mail", "webhooks", "verification", "transparency"):
        assert list(compose["services"][name]["networks"]) == ["back", "out"], name


def test_who_causes_mail_has_the_key_that_the_others_have(compose: Compose) -> None:
    keys = {
        name: compose["services"][name]["environment"].get("MAHJIC_ADDRESS_HASH_KEY")
        for name in MAHJIC
    }
    assert {name for name, key in keys.items() if key} == {
        "ingest",
        "site",
        "mail",
        "webhooks",
        "verification",
    }
    assert set(keys.values()) == {SECRETS["ADDRESS_HASH_KEY"], None}


def test_only_those_who_need_stripe_are_given_what_is_in_env(compose: Compose) -> None:
    for name in MAHJIC:
        given = compose["services"][name]["environment"]
        has = {variable: None for variable in STRIPE if variable in given}
        # Without a value, Compose takes it from .env, and leaves it out where nothing is there.
        wanted = dict.fromkeys(STRIPE) if name in {"ingest", "site", "verification"} else {}
        assert has == wanted, name
        assert {variable: given[variable] for variable in has} == wanted, name


def test_the_example_of_the_secrets_holds_what_the_settings_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    example = (DEPLOY / "compose.env.example").read_text()
    lines = dict(re.findall(r"^#(MAHJIC_(?:STRIPE|IDENTITY)\w+)=(.*)$", example, re.MULTILINE))
    assert set(lines) == set(STRIPE)
    filled = {
        "MAHJIC_STRIPE_KEY": lines["MAHJIC_STRIPE_KEY"] + "a1",
        "MAHJIC_STRIPE_WEBHOOK_SECRETS": lines["MAHJIC_STRIPE_WEBHOOK_SECRETS"]
        .strip("'")
        .replace("whsec_", "whsec_a1"),
        "MAHJIC_STRIPE_PRICE": lines["MAHJIC_STRIPE_PRICE"] + "a1",
        "MAHJIC_IDENTITY_HASH_KEY": "h" * 32,
    }
    for variable, value in filled.items():
        monkeypatch.setenv(variable, value)
    settings = Settings()
    assert settings.stripe_webhook_secrets is not None
    assert [each.get_secret_value() for each in settings.stripe_webhook_secrets] == ["whsec_a1"]
    assert settings.stripe_price == "price_a1"


def test_everything_comes_back_but_the_job_that_ends(compose: Compose) -> None:
    restarts = {name: each["restart"] for name, each in compose["services"].items()}
    assert restarts.pop("init") == "on-failure"
    assert set(restarts.values()) == {"always"}


def test_processes_wait_for_servers_that_work_and_tables_that_are_made(compose: Compose) -> None:
    for name in MAHJIC - {"init"}:
        waits = {
            on: how["condition"] for on, how in compose["services"][name]["depends_on"].items()
        }
        assert waits == {
            "init": "service_completed_successfully",
            "postgres": "service_healthy",
            "kafka": "service_healthy",
        }, name
    for name in ("postgres", "kafka", "proxy", "prometheus", "grafana"):
        assert compose["services"][name]["healthcheck"]["test"][0] == "CMD", name


def test_no_image_moves_under_our_feet(compose: Compose) -> None:
    for name, each in compose["services"].items():
        assert re.search(r":v?\d+\.\d+(\.\d+)?(-[a-z]+)?$", each["image"]), name


def test_our_processes_may_write_nothing_and_have_no_rights(compose: Compose) -> None:
    for name in MAHJIC | {"proxy"}:
        each = compose["services"][name]
        assert each["read_only"] is True, name
        assert each["tmpfs"] == ["/tmp"], name
        assert each["cap_drop"] == ["ALL"], name
        assert each["security_opt"] == ["no-new-privileges:true"], name


def test_a_stop_gives_more_time_than_the_answers_need(compose: Compose) -> None:
    for name in MAHJIC | {"proxy"}:
        found = re.fullmatch(r"(\d+)s", compose["services"][name]["stop_grace_period"])
        assert found, name
        assert int(found[1]) > Settings.model_fields["grace_s"].default, name


def test_everything_has_a_limit_of_memory_and_data_has_a_volume(compose: Compose) -> None:
    for name, each in compose["services"].items():
        assert each["deploy"]["resources"]["limits"]["memory"], name
    for name in ("postgres", "kafka", "rater", "prometheus", "grafana"):
        assert name in compose["volumes"]
        assert any(each.startswith(f"{name}:") for each in compose["services"][name]["volumes"])


def test_who_shows_the_public_logs_has_their_folder_and_only_reads_it(compose: Compose) -> None:
    services = compose["services"]
    with_it = {
        name: each["volumes"]
        for name, each in services.items()
        if "MAHJIC_TRANSPARENCY" in (each.get("environment") or {})
    }
    # Whoever answers reads shows records, and whoever shows pages has the page /log.
    assert set(with_it) == {"transparency", "read", "site"}
    assert with_it["transparency"] == ["transparency:/var/lib/mahjic"]
    assert with_it["read"] == with_it["site"] == ["transparency:/var/lib/mahjic:ro"]
