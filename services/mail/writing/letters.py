"""All letters, by what causes them. Each is told what it says; nothing is looked up here.

No letter holds the rating of a private player, the address of anyone else, or anything that tells
us whether it was read.
"""

from datetime import date, timedelta
from typing import Final, Literal, TypeAlias

from services.mail.waits import PROOF_GOOD_FOR
from services.mail.writing.both import write_both
from services.mail.writing.in_short import NightInShort
from shared.mail.letters import TRIED_FOR, Letter

PROOF_KIND: Final = "proof"

# What became of somebody who pays for being Verified, or has paid.
VerifiedNews: TypeAlias = Literal["begun", "grace", "ended"]


def proof_letter(
    address: str,
    *,
    url: str,
    code: str,
    asked_from: str,
    is_to_add: bool = False,
    is_to_apply: bool = False,
) -> Letter:
    """Return the letter that proves an address: a link, and a code for the browser that asked.

    It is to log in, unless it says what else for.
    """
    return _letter(
        PROOF_KIND,
        address,
        good_for=PROOF_GOOD_FOR,
        url=url,
        code=code,
        asked_from=asked_from,
        is_to_add=is_to_add,
        is_to_apply=is_to_apply,
        minutes=PROOF_GOOD_FOR // timedelta(minutes=1),
    )


def changed_letter(address: str, *, what: str, account_url: str) -> Letter:
    """Return the letter that tells an account's other addresses of a change."""
    return _letter("account_changed", address, what=what, account_url=account_url)


def staff_letter(address: str, *, what: str, account_url: str) -> Letter:
    """Return the letter that tells someone what staff did with what is theirs."""
    return _letter("staff_act", address, what=what, account_url=account_url)


def member_invited_letter(
    address: str, *, source: str, is_owner: bool, url: str, no_more_url: str
) -> Letter:
    """Return the invitation to keep the desk of a source."""
    return _letter(
        "member_invited",
        address,
        is_asked_for=False,
        no_more_url=no_more_url,
        source=source,
        is_owner=is_owner,
        url=url,
    )


def members_letter(address: str, *, source: str, what: str, url: str) -> Letter:
    """Return what tells a member, or an owner, that the members of a source were changed."""
    return _letter("members_changed", address, source=source, what=what, url=url)


def keys_letter(address: str, *, source: str, is_made: bool, url: str) -> Letter:
    """Return what tells an owner that a key of a source was made or revoked; not the key."""
    return _letter("keys_changed", address, source=source, is_made=is_made, url=url)


def webhook_added_letter(address: str, *, source: str, host: str, url: str) -> Letter:
    """Return what tells an owner that events of a source are sent to another server from now on."""
    return _letter("webhook_added", address, source=source, host=host, url=url)


def webhook_off_letter(address: str, *, source: str, host: str, is_gone: bool, url: str) -> Letter:
    """Return what tells an owner that a server gets no more events, as it refused or failed."""
    return _letter("webhook_off", address, source=source, host=host, is_gone=is_gone, url=url)


def ownerless_letter(address: str, *, source: str, slug: str, url: str) -> Letter:
    """Return what tells staff that a source no longer has an owner."""
    return _letter("ownerless", address, source=source, slug=slug, url=url)


def application_letter(
    address: str, *, state: str, organization: str, said: str, url: str
) -> Letter:
    """Return what tells an applicant where their application to become a source stands."""
    return _letter(
        "application", address, state=state, organization=organization, said=said, url=url
    )


def rated_letter(
    address: str, *, source: str, day: date, claim_url: str, not_me_url: str, no_more_url: str
) -> Letter:
    """Return the invitation: who rated the reader and when, and what they can do about it."""
    return _letter(
        "rated",
        address,
        is_asked_for=False,
        no_more_url=no_more_url,
        source=source,
        day=_day(day),
        claim_url=claim_url,
        not_me_url=not_me_url,
    )


def summary_letter(
    address: str,
    *,
    source: str,
    day: date,
    night: NightInShort,
    page_url: str,
    no_more_url: str,
) -> Letter:
    """Return what a night did, and why in short."""
    return _letter(
        "summary",
        address,
        is_asked_for=False,
        no_more_url=no_more_url,
        source=source,
        day=_day(day),
        night=night,
        page_url=page_url,
    )


def answered_letter(address: str, *, source: str, day: date, url: str) -> Letter:
    """Return what tells a player that a dispute was answered; the answer itself is on the page."""
    return _letter("dispute_answered", address, source=source, day=_day(day), url=url)


def verified_letter(address: str, *, news: VerifiedNews, day: date | None, url: str) -> Letter:
    """Return what tells a player that their verification began or ended, or will end on a day."""
    return _letter("verified", address, news=news, day=None if day is None else _day(day), url=url)


def _letter(
    kind: str,
    address: str,
    *,
    is_asked_for: bool = True,
    no_more_url: str | None = None,
    good_for: timedelta = TRIED_FOR,
    **said: object,
) -> Letter:
    written = write_both(kind, no_more_url=no_more_url, **said)
    return Letter(
        kind=kind,
        address=address,
        subject=written.subject,
        text=written.text,
        html=written.html,
        is_asked_for=is_asked_for,
        no_more_url=no_more_url,
        good_for=good_for,
    )


def _day(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"
