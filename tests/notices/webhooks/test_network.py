"""What servers can be named: nothing that is not on the open internet is ever connected to."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import cast

import dns.asyncresolver
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from services.notices.webhooks.network import NameNotFound, checked_addresses, resolve
from services.notices.webhooks.public_addresses import is_public
from services.notices.webhooks.urls import UnfitUrl, read_url
from tests.notices.webhooks.forbidden import FORBIDDEN_ADDRESSES, ODD_NUMBERS, UNREADABLE
from tests.notices.webhooks.internet import PUBLIC, MadeUpInternet, made_up_internet
from tests.notices.webhooks.receiver import a_receiver

PUBLIC_ADDRESSES = (
    "1.1.1.1",
    "8.8.8.8",
    PUBLIC,
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "2001:200::1",
    "2001:4860:4860::8888",
)


@pytest.fixture(scope="module")
def made_once() -> Iterator[MadeUpInternet]:
    with made_up_internet() as internet:
        yield internet


@pytest.fixture
def internet(made_once: MadeUpInternet) -> MadeUpInternet:
    """Return an internet with nobody on it."""
    return MadeUpInternet(made_once.ca, made_once.ca_file)


@pytest.mark.parametrize("address", FORBIDDEN_ADDRESSES)
def test_what_leads_to_a_machine_or_its_neighbors_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_what_is_on_the_open_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "1.2.3", "1.2.3.4.5", "8.8.8.8 ", "x"])
def test_what_is_no_numeric_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("typed", UNREADABLE)
@pytest.mark.parametrize("loopback", [False, True])
def test_an_address_that_cannot_be_meant_is_refused_as_it_is_typed(
    typed: str, loopback: bool
) -> None:
    with pytest.raises(UnfitUrl):
        read_url(typed, loopback=loopback)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("https://club.example", "https://club.example/"),
        (" https://Club.Example/Path?q=1&r=%20 ", "https://club.example/Path?q=1&r=%20"),
        ("https://club.example:443/x", "https://club.example/x"),
        ("https://club.example:1024/x", "https://club.example:1024/x"),
        ("https://xn--clb-hoa.example/x", "https://xn--clb-hoa.example/x"),
        ("https://[2606:4700::1111]:8443/x", "https://[2606:4700::1111]:8443/x"),
        ("https://93.184.215.14/x", "https://93.184.215.14/x"),
        ("https://club.example/a@b;c,d'(e)!*~", "https://club.example/a@b;c,d'(e)!*~"),
    ],
)
def test_an_address_is_read_into_its_one_form(typed: str, read: str) -> None:
    assert str(read_url(typed, loopback=False)) == read
    assert str(read_url(read, loopback=False)) == read


def test_only_where_the_setting_says_so_is_this_machine_taken_without_tls() -> None:
    with pytest.raises(UnfitUrl, match="https"):
        read_url("http://127.0.0.1:8080/x", loopback=False)
    assert str(read_url("http://127.0.0.1:8080/x", loopback=True)) == "http://127.0.0.1:8080/x"
    assert str(read_url("http://[::1]:8080/x", loopback=True)) == "http://[::1]:8080/x"
    for other in ("http://127.0.0.2:8080/", "http://10.0.0.1:8080/", "http://club.example:8080/"):
        with pytest.raises(UnfitUrl):
            read_url(other, loopback=True)


@pytest.mark.parametrize("address", FORBIDDEN_ADDRESSES)
async def test_a_name_that_leads_to_a_forbidden_address_is_connected_to_nowhere(
    internet: MadeUpInternet, address: str
) -> None:
    internet.name("at-once.example", [address])
    internet.name("among-others.example", [PUBLIC, address])
    internet.name("at-second-look.example", [PUBLIC], [address])
    context = internet.server_context("at-second-look.example")
    async with a_receiver(ssl=context) as receiver:
        post = internet.post()
        for host in ("at-once.example", "among-others.example"):
            posted = await post.post(f"https://{host}:{receiver.port}/", [], b"{}")
            assert posted.outcome == "not_public"
        assert internet.connected == []
        name = f"https://at-second-look.example:{receiver.port}/"
        assert (await post.post(name, [], b"{}")).outcome == "delivered"
        assert (await post.post(name, [], b"{}")).outcome == "not_public"
        # Once for each try: what was checked is what was connected to.
        assert internet.looked_up.count("at-second-look.example") == 2
        assert internet.connected == [PUBLIC]
        await post.close()


@pytest.mark.parametrize("address", [each for each in FORBIDDEN_ADDRESSES if "%" not in each])
async def test_a_forbidden_address_that_is_named_by_its_number_is_connected_to_nowhere(
    internet: MadeUpInternet, address: str
) -> None:
    post = internet.post()
    host = f"[{address}]" if ":" in address else address
    posted = await post.post(f"https://{host}:8443/", [], b"{}")
    assert posted.outcome in {"not_public", "unfit"}
    assert internet.connected == []
    await post.close()


async def test_odd_notations_of_numbers_are_names_that_nobody_has() -> None:
    async with a_name_server({}) as resolver:
        for host in ODD_NUMBERS:
            with pytest.raises(NameNotFound):
                await resolve(host, resolver=resolver)


async def test_names_are_looked_up_at_the_servers_for_names_alone() -> None:
    records = {"club.example.": {"A": [PUBLIC], "AAAA": ["2606:4700::1111"]}}
    async with a_name_server(records) as resolver:
        found = await resolve("club.example", resolver=resolver)
        assert sorted(found) == ["2606:4700::1111", PUBLIC]
        with pytest.raises(NameNotFound):
            await resolve("club", resolver=resolver)
    assert await resolve("localhost") == ["127.0.0.1"]
    assert await resolve("::1") == ["::1"]


async def test_both_kinds_of_addresses_take_turns_and_one_that_nobody_knows_is_left_out() -> None:
    v4, v6 = ["1.1.1.1", "8.8.8.8"], [f"2606:4700::{each}" for each in range(1, 9)]
    records = {
        "many.example.": {"A": v4, "AAAA": v6},
        "half.example.": {"A": v4, "AAAA": ["SERVFAIL"]},
    }
    async with a_name_server(records) as resolver:

        async def look_up(host: str) -> Sequence[str]:
            return await resolve(host, resolver=resolver)

        found = await checked_addresses("many.example", loopback=False, look_up=look_up)
        assert sorted(":" in each for each in found) == [False, False, True, True]
        assert set(await resolve("half.example", resolver=resolver)) == set(v4)


async def test_of_several_addresses_the_first_that_answers_is_taken(
    internet: MadeUpInternet,
) -> None:
    internet.name("club.example", ["1.1.1.1", "8.8.8.8", PUBLIC, "9.9.9.9"])
    internet.refusing |= {"1.1.1.1", "8.8.8.8"}
    async with a_receiver(ssl=internet.server_context("club.example")) as receiver:
        post = internet.post()
        posted = await post.post(f"https://club.example:{receiver.port}/", [], b"{}")
        assert posted.outcome == "delivered"
        assert internet.connected == ["1.1.1.1", "8.8.8.8", PUBLIC]
        await post.close()


class NameServer(asyncio.DatagramProtocol):
    """Answers from records; whatever they don't have does not exist."""

    def __init__(self, records: dict[str, dict[str, list[str]]]) -> None:
        self._records = records

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        asked = dns.message.from_wire(data)
        (question,) = asked.question
        answer = dns.message.make_response(asked)
        known = self._records.get(question.name.to_text())
        if known is None:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        kind = dns.rdatatype.to_text(question.rdtype)
        if known is not None and known.get(kind) == ["SERVFAIL"]:
            answer.set_rcode(dns.rcode.SERVFAIL)
        elif known is not None and (found := known.get(kind)):
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *found))
        self._transport.sendto(answer.to_wire(), addr)


@asynccontextmanager
async def a_name_server(
    records: dict[str, dict[str, list[str]]],
) -> AsyncIterator[dns.asyncresolver.Resolver]:
    """Run a server for names, and give what asks it."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: NameServer(records), local_addr=("127.0.0.1", 0)
    )
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = ["127.0.0.1"]
    resolver.port = transport.get_extra_info("sockname")[1]
    try:
        yield resolver
    finally:
        transport.close()
