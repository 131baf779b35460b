"""Which addresses a webhook may reach (pure but for asking the resolver)."""

import ipaddress
import socket
from collections.abc import Sequence

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Networks = Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]

#: An IPv4 address is reached through these too, in the last four bytes.
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
#: What Python's list of special addresses leaves out, or has only in later releases.
_ALSO_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "fec0::/10",
            "3fff::/20",
        ),
    )
)


class AddressForbidden(Exception):
    """The webhook's address lies within a network that webhooks may not reach."""


def is_public(address: Address) -> bool:
    """Tell whether an address is anybody's on the internet: not private, local, shared or multicast.

    The address of metadata services of clouds (169.254.169.254, fd00:ec2::254) is none of these. An IPv6
    address that leads to an IPv4 one (mapped, NAT64, 6to4, Teredo) is judged by that.
    """
    if isinstance(address, ipaddress.IPv6Address):
        within = _ipv4_within(address)
        if within is not None:
            return is_public(within)
    if any(address.version == network.version and address in network for network in _ALSO_SPECIAL):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _ipv4_within(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if any(address in network for network in _NAT64) or int(address) >> 32 == 0:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return None


def resolve(host: str, port: int, *, allowed: Networks = ()) -> tuple[list[Address], bool]:
    """Return the addresses of a host, and whether all of them lie in `allowed`.

    Raises `AddressForbidden` if a single one is neither public nor allowed, and OSError if there is none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found]
    inside = [any(each.version == net.version and each in net for net in allowed) for each in addresses]
    for address, is_allowed in zip(addresses, inside, strict=True):
        if not is_allowed and not is_public(address):
            raise AddressForbidden(
                f"{host} leads to {address}, which is no public address. An operator can allow networks by"
                " ARCHIV_WEBHOOK_NETWORKS."
            )
    return list(dict.fromkeys(addresses)), all(inside)
