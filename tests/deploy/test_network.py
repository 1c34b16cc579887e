"""The policies of the network let who sends events to strangers' servers reach nothing else."""

import ipaddress
from collections.abc import Iterator
from typing import Any

import pytest

from services.notices.webhooks.public_addresses import is_public
from tests.deploy.conftest import named

Manifests = list[dict[str, Any]]

PUBLIC = "93.184.215.14"
# What the clouds tell their own machines, and what a machine and its neighbors are called.
CLOSED = (
    "10.0.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::1",
    "fd00:ec2::254",
    "fe80::1",
    "ff02::1",
)


@pytest.mark.parametrize("address", [PUBLIC, "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_events_can_be_sent_to_the_open_internet_on_the_ports_that_a_source_may_name(
    manifests: Manifests, address: str
) -> None:
    ports = (22, 25, 80, 442, 443, 444, 1023, 1024, 8443, 65_535)
    assert {port for port in ports if is_let_out(manifests, "webhooks", address, port)} == {
        443,
        1024,
        8443,
        65_535,
    }


@pytest.mark.parametrize("address", CLOSED)
def test_who_sends_events_reaches_no_private_address(manifests: Manifests, address: str) -> None:
    for port in (80, 443, 1024, 6443, 8000, 9092, 10_250):
        assert not is_let_out(manifests, "webhooks", address, port), port


def test_the_policy_and_the_program_agree_on_what_is_public(manifests: Manifests) -> None:
    probes = [each for block in blocks(manifests) for each in edges(block)]
    assert len(probes) > 80
    for address in (*probes, *CLOSED, PUBLIC):
        assert is_let_out(manifests, "webhooks", address, 443) == is_public(address), address


def test_who_sends_events_finds_names_and_the_database_wherever_they_are(
    manifests: Manifests,
) -> None:
    for protocol, port in (("UDP", 53), ("TCP", 53), ("TCP", 5432)):
        assert is_let_out(manifests, "webhooks", "10.0.0.10", port, protocol=protocol)


@pytest.mark.parametrize("component", ["ingest", "read", "site", "relay", "rater", "mail"])
def test_the_others_find_the_database_and_kafka(manifests: Manifests, component: str) -> None:
    for port in (5432, 9092):
        assert is_let_out(manifests, component, "10.0.0.10", port)


def blocks(manifests: Manifests) -> Iterator[str]:
    """Yield every network that the policy of those who send events names."""
    for rule in named(manifests, "NetworkPolicy")["mahjic-webhooks"]["spec"]["egress"]:
        for each in rule.get("to", []):
            yield each["ipBlock"]["cidr"]
            yield from each["ipBlock"]["except"]


def edges(block: str) -> Iterator[str]:
    """Yield the first and last address of a network, and those before and after."""
    network = ipaddress.ip_network(block)
    kind, last = type(network.network_address), 2**network.max_prefixlen - 1
    begin, end = int(network.network_address), int(network.broadcast_address)
    for number in (begin - 1, begin, end, end + 1):
        if 0 <= number <= last:
            yield str(kind(number))


def is_let_out(
    manifests: Manifests, component: str, address: str, port: int, *, protocol: str = "TCP"
) -> bool:
    """Return whether any policy lets the pods of a component connect to an address and port."""
    labels = {"app.kubernetes.io/name": "mahjic", "app.kubernetes.io/component": component}
    policies = named(manifests, "NetworkPolicy").values()
    return any(
        is_port_in(rule, protocol, port) and is_address_in(rule, address)
        for policy in policies
        if is_for(policy["spec"]["podSelector"], labels)
        for rule in policy["spec"].get("egress", [])
    )


def is_for(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    """Return whether a selector chooses pods with these labels."""
    wanted = selector.get("matchLabels", {})
    if any(labels[name] != value for name, value in wanted.items()):
        return False
    for each in selector.get("matchExpressions", []):
        assert each["operator"] in {"In", "NotIn"}
        if (labels[each["key"]] in each["values"]) != (each["operator"] == "In"):
            return False
    return True


def is_port_in(rule: dict[str, Any], protocol: str, port: int) -> bool:
    """Return whether a rule names a port."""
    return any(
        each["protocol"] == protocol and each["port"] <= port <= each.get("endPort", each["port"])
        for each in rule["ports"]
    )


def is_address_in(rule: dict[str, Any], address: str) -> bool:
    """Return whether a rule names an address; one that names none means all."""
    if "to" not in rule:
        return True
    numeric = ipaddress.ip_address(address)
    return any(
        numeric in ipaddress.ip_network(block["cidr"])
        and not any(numeric in ipaddress.ip_network(each) for each in block["except"])
        for block in (each["ipBlock"] for each in rule["to"] if "ipBlock" in each)
    )
