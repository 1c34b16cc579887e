"""Says who sits at the tables of a typed night: people of the list, guests, or nobody. Pure."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from services.site.desk.night.roster import BOB, FoundOnList, Roster, folded
from services.site.desk.night.typed import GUESTS_MAX, TypedGuest, TypedNight, TypedSeat
from services.site.kit.words import _
from shared.addresses import UnreadableAddress, read_address

PRIVATE, ANONYMOUS = "PRIVATE:", "ANON:"
NICKNAME_MAX: Final = 40


@dataclass(frozen=True, slots=True)
class AtTable:
    """Somebody at a table: what they are called here, what is sent for them, and a name to offer.

    `key` is the same for the same person. Somebody on the list has a `player_id`, unless the club
    has not sent them yet.
    """

    key: str
    label: str
    sent: str = field(repr=False)
    name: str | None = None
    player_id: str | None = None
    is_listed: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """A text that is no person yet, and what to do about it."""

    how: Literal["several", "guest", "address"]
    words: str


class WhoSits:
    """Who is meant by each text of a night."""

    def __init__(self, night: TypedNight, roster: Roster) -> None:
        self._roster = roster
        self._guests: Mapping[str, TypedGuest] = {folded(each.name): each for each in night.guests}
        self._known: dict[str, AtTable | Unknown] = {}

    def who(self, text: str) -> AtTable | Unknown:
        """Return who is meant by a text that is not empty."""
        if text not in self._known:
            self._known[text] = self._who(text)
        return self._known[text]

    def _who(self, text: str) -> AtTable | Unknown:
        found = self._roster.find(text)
        is_whole_name = found.one is not None and folded(found.one.label) == folded(text)
        # Of two with one name, the address tells them apart on the list.
        if "@" in text and not is_whole_name:
            return _by_address(
                text.removeprefix(PRIVATE).strip(), text, None, text.startswith(PRIVATE)
            )
        guest = self._guests.get(folded(text))
        is_told = guest is not None and bool(guest.how or guest.address)
        if guest is not None and is_told and not is_whole_name:
            return _guest(guest)
        if found.how == "nobody":
            return _stranger(text)
        if found.one is None:
            return Unknown("several", _which(text, found))
        one = found.one
        key = one.sent if one is not BOB else "BOB"
        return AtTable(_key(key), one.label, one.sent, None, one.player_id, is_listed=True)


def settle(night: TypedNight, roster: Roster, *, is_typing: bool = False) -> TypedNight:
    """Return a night with whole names for beginnings, and a guest for each name that nobody has.

    Guests whose name is no longer typed are gone. What somebody `is_typing` stays as it is.
    """
    seated = WhoSits(night, roster)
    guests: dict[str, TypedGuest] = {}
    kept = {folded(each.name): each for each in night.guests}
    tables = []
    for table in night.tables:
        seats = []
        for seat in table.seats:
            sitter = seated.who(seat.who) if seat.who else None
            if isinstance(sitter, AtTable) and sitter.is_listed:
                seats.append(seat if is_typing else _with_whole_name(seat, sitter, seated))
                continue
            seats.append(seat)
            if seat.who and "@" not in seat.who and not _is_several(sitter):
                fold = folded(seat.who)
                guests.setdefault(fold, kept.get(fold, TypedGuest(seat.who)))
        tables.append(replace(table, seats=tuple(seats)))
    return replace(night, tables=tuple(tables), guests=tuple(guests.values()))


def _with_whole_name(seat: TypedSeat, sitter: AtTable, seated: WhoSits) -> TypedSeat:
    if folded(seat.who) != folded(sitter.label):
        return replace(seat, who=sitter.label, short=seat.who)
    # It may have been typed for somebody who sat there before.
    before = seated.who(seat.short) if seat.short else None
    is_same = isinstance(before, AtTable) and before.key == sitter.key
    return replace(seat, who=sitter.label, short=seat.short if is_same else "")


def as_somebody_new(night: TypedNight, table: int, place: int) -> TypedNight:
    """Return a night in which what was typed at a place is nobody of the list."""
    seat = night.tables[table].seats[place] if table < len(night.tables) else TypedSeat()
    if not seat.short:
        return night
    fold = folded(seat.short)
    tables = [
        replace(
            each,
            seats=tuple(_as_typed(own) if folded(own.short) == fold else own for own in each.seats),
        )
        for each in night.tables
    ]
    kept = [each for each in night.guests if folded(each.name) != fold]
    guests = (*kept, TypedGuest(seat.short, "address"))
    return replace(night, tables=tuple(tables), guests=guests[-GUESTS_MAX:])


def _as_typed(seat: TypedSeat) -> TypedSeat:
    return replace(seat, who=seat.short, short="")


def seats_of(night: TypedNight) -> Iterator[tuple[int, int, TypedSeat]]:
    """Yield each seat with the numbers of its table and its place."""
    for number, table in enumerate(night.tables):
        for place, seat in enumerate(table.seats):
            yield number, place, seat


def _is_several(sitter: AtTable | Unknown | None) -> bool:
    return isinstance(sitter, Unknown) and sitter.how == "several"


def _guest(guest: TypedGuest) -> AtTable | Unknown:
    if guest.how == "anonymous":
        if len(guest.name) > NICKNAME_MAX:
            return Unknown("guest", _("Use a shorter name, of at most 40 characters."))
        return AtTable(_key(ANONYMOUS + guest.name), guest.name, ANONYMOUS + guest.name)
    if not guest.address:
        return Unknown("address", _("Type the address, or choose that there is none."))
    return _by_address(guest.address, guest.name, guest.name, guest.how == "private")


def _by_address(text: str, label: str, name: str | None, is_private: bool) -> AtTable | Unknown:
    try:
        address = read_address(text)
    except UnreadableAddress as error:
        return Unknown("address", str(error))
    if address == BOB.sent:
        return AtTable("BOB", BOB.label, BOB.sent, None, BOB.player_id, is_listed=True)
    return AtTable(_key(address), label, PRIVATE + address if is_private else address, name)


def _key(sent: str) -> str:
    return folded(sent.removeprefix(PRIVATE))


def _stranger(text: str) -> Unknown:
    words = _("{} is not on your list. Say below who that is, or fix the name.")
    return Unknown("guest", words.format(_quoted(text)))


def _which(text: str, found: FoundOnList) -> str:
    names = ", ".join(each.label for each in found.people[:4])
    more = _(" and others") if len(found.people) > 4 else ""
    return _("Several people match {}: {}{}. Type more of the name.").format(
        _quoted(text), names, more
    )


def _quoted(text: str) -> str:
    return f"“{text[:40]}{'…' if len(text) > 40 else ''}”"


def named_in(night: TypedNight, seated: WhoSits) -> Sequence[str]:
    """Return the ids and the addresses of everybody whom a night names, also half-known ones."""
    named: dict[str, None] = {}
    for _table, _place, seat in seats_of(night):
        who = seated.who(seat.who) if seat.who else None
        if isinstance(who, AtTable):
            named[who.player_id or who.key] = None
    for text in (*(seat.who for *_at, seat in seats_of(night)), *(g.address for g in night.guests)):
        with contextlib.suppress(UnreadableAddress):
            named[read_address(text.removeprefix(PRIVATE).strip())] = None
    return list(named)
