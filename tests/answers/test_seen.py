"""What a caller may see of a seat: every kind of person, to every kind of caller, in one table."""

from itertools import product

import pytest

from shared.addresses import BOB_EMAIL
from shared.answers.seen import (
    ERASED,
    NOT_SHOWN,
    Seated,
    Sight,
    Viewer,
    called,
    sees,
    written,
)

VIEWERS: tuple[Viewer, ...] = ("own", "other", "operator", "auditor")
ADA, NICK = "ada@example.com", "Lucky"


def a_seat(
    *,
    named: bool,
    public: bool = False,
    said: bool = False,
    address: str | None = ADA,
    nickname: str | None = None,
) -> Seated:
    return Seated(
        "MJ-1", "MJ-1", named, public, is_said_private=said, address=address, nickname=nickname
    )


def erased(*, named: bool) -> Seated:
    return a_seat(named=named, address=None)


def anonymous(*, named: bool) -> Seated:
    return a_seat(named=named, address=None, nickname=NICK)


# Whether id and numbers are seen, what the player is called, and what a sheet says; for the source
# of the session, another source, the operator and an auditor.
TABLE = [
    ("public", a_seat(named=True, public=True), "yes no yes yes", ADA, ADA, ADA),
    ("private", a_seat(named=True), "yes no yes yes", ADA, ADA, ADA),
    (
        "private by its own word",
        a_seat(named=True, said=True),
        "yes no yes yes",
        f"PRIVATE:{ADA}",
        f"PRIVATE:{ADA}",
        f"PRIVATE:{ADA}",
    ),
    (
        "anonymous",
        anonymous(named=True),
        "yes no yes yes",
        f"ANON:{NICK}",
        f"ANON:{NICK}",
        NOT_SHOWN,
    ),
    ("erased", erased(named=True), "yes no yes yes", None, ERASED, ERASED),
    (
        "public, named by the operator",
        a_seat(named=False, public=True),
        "yes no yes yes",
        None,
        NOT_SHOWN,
        ADA,
    ),
    (
        "private, named by the operator",
        a_seat(named=False),
        "no no yes yes",
        None,
        NOT_SHOWN,
        ADA,
    ),
    (
        "anonymous, named by the operator",
        anonymous(named=False),
        "no no yes yes",
        None,
        NOT_SHOWN,
        NOT_SHOWN,
    ),
    ("erased, named by the operator", erased(named=False), "no no yes yes", None, ERASED, ERASED),
]


@pytest.mark.parametrize(
    ("seat", "seen", "to_own", "own_sheet", "operators_sheet"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_each_caller_sees_of_each_kind_of_person_what_the_table_says(
    seat: Seated,
    seen: str,
    to_own: str | None,
    own_sheet: str,
    operators_sheet: str,
) -> None:
    for viewer, word in zip(VIEWERS, seen.split(), strict=True):
        assert sees(seat, viewer) is (word == "yes"), viewer
        assert called(seat, viewer) == (to_own if viewer == "own" else None), viewer
        sight = Sight(viewer, {"MJ-1": seat})
        assert sight.sees("MJ-1") is (word == "yes")
        if viewer in {"operator", "auditor"}:
            assert sight.ids is None
        else:
            assert sight.ids == (frozenset({"MJ-1"}) if word == "yes" else frozenset())
    assert written(seat, "own") == own_sheet
    assert written(seat, "operator") == operators_sheet


@pytest.mark.parametrize(("viewer", "player"), [*product(VIEWERS, ["BOB", "MJ-2"])])
def test_bob_is_everybodys_and_who_is_not_on_record_is_nobodys(viewer: Viewer, player: str) -> None:
    sight = Sight(viewer)
    sees_all = viewer in {"operator", "auditor"}
    assert sight.sees(player) is (player == "BOB" or sees_all)
    is_own_bob = player == "BOB" and viewer == "own"
    assert sight.called(player) == (BOB_EMAIL if is_own_bob else None)


def test_who_is_read_as_another_is_seen_by_that_id_too_and_nobody_else_of_the_group() -> None:
    ada = Seated("MJ-1", "MJ-9", is_named=True, is_public=False, address=ADA)
    hidden = Seated("MJ-2", "MJ-8", is_named=False, is_public=False, address="bo@example.com")
    assert Sight("own", {"MJ-1": ada, "MJ-2": hidden}).ids == frozenset({"MJ-1", "MJ-9"})
