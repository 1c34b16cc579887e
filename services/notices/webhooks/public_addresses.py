"""Which addresses are on the open internet. Pure.

The list is explicit: what Python calls global lets addresses through that lead back to this machine
or its neighbors in another notation, such as NAT64, 6to4 and IPv4-compatible ones. The networks are
those of IANA's registries of special-purpose addresses, and the one that a cloud gave a purpose.
"""

import ipaddress
from typing import Final

_NOT_PUBLIC_V4: Final = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            # Where Azure answers its own machines.
            "168.63.129.16/32",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "192.175.48.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
# Everything else of IPv6 is reserved, local, a notation of IPv4, or multicast.
_GLOBAL_V6: Final = ipaddress.IPv6Network("2000::/3")
_NOT_PUBLIC_V6: Final = tuple(
    map(
        ipaddress.IPv6Network,
        ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
    )
)


def is_public(text: str) -> bool:
    """Return whether a numeric address is one of the open internet."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    # A zone says which of this machine's cables it is behind.
    if address.scope_id is not None or address not in _GLOBAL_V6:
        return False
    return not any(address in network for network in _NOT_PUBLIC_V6)


def is_loopback(text: str) -> bool:
    """Return whether a numeric address is this machine itself."""
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False
