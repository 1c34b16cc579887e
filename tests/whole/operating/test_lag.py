"""The lag of rater and views can be read from the figures of a running service."""

import time

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.whole.conftest import ServedSite

DEADLINE_S = 20
PLACES = ("mahjic_log_fact_seq", "mahjic_rater_fact_seq", "mahjic_views_fact_seq")


def places(site: ServedSite) -> list[float]:
    families = text_string_to_metric_families(httpx.get(f"{site.url}/metrics").text)
    values = {each.name: each.value for family in families for each in family.samples}
    return [values[name] for name in PLACES]


def test_log_rater_and_views_tell_the_fact_that_they_have_come_to(site: ServedSite) -> None:
    operator = {"Authorization": f"Bearer {site.keys['operator']}"}
    registered = httpx.post(
        f"{site.url}/v1/admin/players", json={"email": "lag@example.com"}, headers=operator
    )
    address = f"{site.url}/v1/admin/players/{registered.json()['player_id']}/verification"
    for verified in (True, False, True):
        httpx.put(address, json={"verified": verified}, headers=operator).raise_for_status()
    log = httpx.get(f"{site.url}/v1/log/facts?limit=10000", headers=operator).text
    last_seq = len(log.splitlines())
    assert last_seq >= 4
    deadline = time.monotonic() + DEADLINE_S
    while places(site) != [last_seq] * 3:
        assert time.monotonic() < deadline, places(site)
        time.sleep(0.02)
