"""The client's address is what the proxies we trust say, and nothing that the client says."""

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.http.layers.addresses import ClientAddresses

PROXY = "10.0.0.1"
INNER_PROXY = "10.0.0.2"
PROXIES = ClientAddresses([ip_network("10.0.0.0/8"), ip_network("fd00::/8")])
NO_PROXIES = ClientAddresses()


def counted_as(addresses: ClientAddresses, peer: str | None, *headers: tuple[str, str]) -> str:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    return addresses.counted_as({"client": (peer, 1) if peer else None, "headers": raw})


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, "local"),
        ("testclient", "local"),
    ],
)
def test_a_peer_counts_as_its_ipv4_address_or_its_ipv6_64(peer: str | None, counted: str) -> None:
    assert counted_as(NO_PROXIES, peer) == counted


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded"])
def test_a_client_that_reaches_us_directly_is_not_believed(name: str) -> None:
    value = "for=203.0.113.9" if name == "Forwarded" else "203.0.113.9"
    assert counted_as(NO_PROXIES, "192.0.2.7", (name, value)) == "192.0.2.7"
    assert counted_as(PROXIES, "192.0.2.7", (name, value)) == "192.0.2.7"


@pytest.mark.parametrize(
    ("value", "counted"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (f"198.51.100.1, 203.0.113.9, {INNER_PROXY}", "203.0.113.9"),
        (f"10.1.1.1,{INNER_PROXY}", "10.1.1.1"),
        ("203.0.113.9" + ",10.0.0.3" * 15, "203.0.113.9"),
        ("203.0.113.9" + ",10.0.0.3" * 16, "10.0.0.3"),
        ("203.0.113.9:4711", "203.0.113.9"),
        ("[2001:db8::1]:4711", "2001:db8::/64"),
        ("2001:db8::1", "2001:db8::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("203.0.113.9, nonsense", PROXY),
        (f"203.0.113.9, nonsense, {INNER_PROXY}", INNER_PROXY),
        ("", PROXY),
        (",,,", PROXY),
        ("unknown", PROXY),
        ("999.1.1.1", PROXY),
        ("\xff\xfe", PROXY),
    ],
)
def test_x_forwarded_for_is_read_from_the_right(value: str, counted: str) -> None:
    assert counted_as(PROXIES, PROXY, ("X-Forwarded-For", value)) == counted


@pytest.mark.parametrize(
    ("value", "counted"),
    [
        ("for=203.0.113.9", "203.0.113.9"),
        ('For="[2001:db8:cafe::17]:4711";proto=https', "2001:db8:cafe::/64"),
        ("for=198.51.100.1;proto=http, for=203.0.113.9;by=10.0.0.9", "203.0.113.9"),
        (f'for="203.0.113.9",for="{INNER_PROXY}:80"', "203.0.113.9"),
        ('for="_hidden, for=203.0.113.9"', PROXY),
        ("for=_gazonk", PROXY),
        ("for=unknown", PROXY),
        ("proto=https", PROXY),
        ("for=203.0.113.9, for", PROXY),
        ('for="203.0.113.9', PROXY),
        ("for=203.0.113.9;;", PROXY),
        ("", PROXY),
    ],
)
def test_forwarded_is_read_as_rfc_7239_says(value: str, counted: str) -> None:
    assert counted_as(PROXIES, PROXY, ("Forwarded", value)) == counted


def test_several_fields_of_one_name_are_one_list() -> None:
    fields = [("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", "203.0.113.9")]
    assert counted_as(PROXIES, PROXY, *fields) == "203.0.113.9"


def test_a_forged_header_beside_the_real_one_does_not_choose_the_address() -> None:
    forged = ("Forwarded", "for=198.51.100.200")
    real = ("X-Forwarded-For", "203.0.113.9")
    assert counted_as(PROXIES, PROXY, forged, real) == PROXY
    assert counted_as(PROXIES, PROXY, ("Forwarded", "for=203.0.113.9"), real) == "203.0.113.9"


@given(st.text(st.characters(max_codepoint=255), max_size=200), st.booleans())
def test_no_header_makes_it_fail_or_go_on_forever(text: str, is_standard: bool) -> None:
    name = "Forwarded" if is_standard else "X-Forwarded-For"
    assert counted_as(PROXIES, PROXY, (name, text))


def test_a_very_long_header_costs_no_more_than_a_long_one() -> None:
    long_list = ", ".join(["10.0.0.3"] * 100_000)
    assert counted_as(PROXIES, PROXY, ("X-Forwarded-For", long_list)) == "10.0.0.3"
