"""Writes the letters about accounts: the same words as plain text and as simple HTML. Pure."""

from collections.abc import Sequence
from datetime import timedelta
from html import escape
from typing import Final

from shared.mail.letters import Letter, subject_line

PROOF_KIND: Final = "proof"
CHANGED_KIND: Final = "account_changed"
# A link that is too old helps nobody, so its mail is not tried for longer.
PROOF_GOOD_FOR: Final = timedelta(minutes=15)
_SIGNED: Final = "Mahjic, the open rating for American Mahjong"


def proof_letter(address: str, *, url: str, code: str, asked_from: str, is_to_add: bool) -> Letter:
    """Return the letter that proves an address: a link, and a code for the browser that asked."""
    what_for = (
        "Someone who is logged in to Mahjic asked to add this address to their account. If that "
        "was you, this link opens a page with a button to press:"
        if is_to_add
        else "Here is the link to log in to Mahjic. It opens a page with a button to press:"
    )
    return _letter(
        PROOF_KIND,
        address,
        "Add this address to your Mahjic account" if is_to_add else "Your link to log in to Mahjic",
        [
            what_for,
            url,
            "Or type this code on the page where you asked for the link:",
            code,
            f"Both are good for 15 minutes, and once. They were asked for from: {asked_from}.",
            (
                "If that wasn’t you, do nothing. Nobody gets in without this mail, so don’t pass "
                "it on and don’t tell anyone the code."
            ),
        ],
        good_for=PROOF_GOOD_FOR,
    )


def changed_letter(address: str, *, what: str, account_url: str) -> Letter:
    """Return the letter that tells an account's other addresses of a change."""
    return _letter(
        CHANGED_KIND,
        address,
        "Your Mahjic account was changed",
        [
            what,
            (
                "If that was you, there is nothing to do. If it wasn’t, log in now, end the "
                "logins that you don’t know, and take back the change:"
            ),
            account_url,
        ],
    )


def _letter(
    kind: str,
    address: str,
    subject: str,
    paragraphs: Sequence[str],
    *,
    good_for: timedelta = timedelta(days=2),
) -> Letter:
    told = [*paragraphs, _SIGNED]
    return Letter(
        kind=kind,
        address=address,
        subject=subject_line(subject),
        text="\n\n".join(told) + "\n",
        html="".join(map(_paragraph, told)),
        is_asked_for=True,
        good_for=good_for,
    )


def _paragraph(text: str) -> str:
    if text.startswith(("http://", "https://")):
        return f'<p><a href="{escape(text)}">{escape(text)}</a></p>\n'
    return f"<p>{escape(text)}</p>\n"
