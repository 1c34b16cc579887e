"""What a page says about a problem: what is wrong, and what a reader can do about it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from services.accounts.spans import FRESH_MINUTES, PROOF_MINUTES
from services.site.kit.words import _


@dataclass(frozen=True, slots=True)
class ToldProblem:
    """A problem in words for people.

    `way_on` is the path of the page that helps, and what to call it. `can_search` if looking for a
    player may be what they need, `can_come_again` if the same page will be there in a moment.
    """

    title: str
    words: str
    mistakes: Sequence[str] = ()
    way_on: tuple[str, str] | None = None
    can_search: bool = False
    is_ours: bool = False
    can_come_again: bool = False


# Where more than one problem leads.
_ACCOUNT: Final = ("/account", _("Go to your account"))
_APPLICATIONS: Final = ("/become-a-source/mine", _("See your applications"))
_DESK: Final = ("/desk", _("Go to your desk"))
_LEADERBOARD: Final = ("/leaderboard", _("See the leaderboard"))
_LOGIN: Final = ("/login", _("Log in"))

_ADDRESS: Final = ToldProblem(
    _("That address isn’t quite right"),
    _("Something in the address can’t be read. Go back, and try the link again."),
)


def _own_account(title: str) -> ToldProblem:
    """Return what tells of a problem with one's own account, in the words of the problem."""
    return ToldProblem(title, "", way_on=_ACCOUNT)


_BY_CODE: Final[Mapping[str, ToldProblem]] = {
    "unknown_player": ToldProblem(
        _("We can’t find that player"),
        _(
            "No public player has this Mahjic ID. Check each character, or look for the player by "
            "name."
        ),
        can_search=True,
    ),
    "unknown_source": ToldProblem(
        _("We can’t find that club or platform"),
        _("Nobody sends results under this name. Look for them in the list of all clubs."),
        way_on=("/sources", _("See all clubs, leagues and platforms")),
    ),
    "unknown_region": ToldProblem(
        _("We can’t find that leaderboard"),
        _("There is no region by this name. You can choose a region on the leaderboard."),
        way_on=_LEADERBOARD,
    ),
    "board_takes_too_long": ToldProblem(
        _("That list is taking too long"),
        _(
            "We couldn’t count everybody who fits what you chose. Show the whole board, or try "
            "again in a minute."
        ),
        way_on=_LEADERBOARD,
        can_come_again=True,
    ),
    "mistyped_player_id": ToldProblem(
        _("That Mahjic ID has a typo"),
        _(
            "A Mahjic ID is MJ- and 8 more characters, and the last one checks the others. This "
            "one doesn’t fit. Check each character, or look for the player by name."
        ),
        can_search=True,
    ),
    "unknown_change": ToldProblem(
        _("We can’t find that change"),
        _(
            "This player’s rating has no such change. The sessions on the player’s page lead to "
            "all of them."
        ),
        can_search=True,
    ),
    "wrong_cursor": ToldProblem(
        _("That page of the list is gone"),
        _("The list has changed, or the link was cut short. Go back, and start from its top."),
    ),
    "not_logged_in": ToldProblem(
        _("You are not logged in"),
        _("Your login has ended, or was ended from elsewhere. Nothing was changed."),
        way_on=_LOGIN,
    ),
    "login_not_fresh": ToldProblem(
        _("Log in once more for this"),
        _(
            "You logged in more than {} minutes ago, and this is important. Nothing was changed. "
            "Log in once more, and do it again."
        ).format(FRESH_MINUTES),
        way_on=("/login?to=/account", _("Log in")),
    ),
    "first_passkey_needed": ToldProblem(
        _("Add a passkey first"),
        _("You belong to the staff, so you need a passkey for everything else."),
        way_on=("/account", _("Add a passkey")),
    ),
    "passkey_needed": ToldProblem(
        _("This account is entered with a passkey"),
        _("Logging in by mail is switched off for it. Log in with your passkey."),
        way_on=_LOGIN,
    ),
    "proof_gone": ToldProblem(
        _("This link or code is no longer good"),
        _(
            "It was used already, is older than {} minutes, or a newer one took its place. If you "
            "have just pressed its button, you may be logged in: look at your account."
        ).format(PROOF_MINUTES),
        way_on=("/account", _("Go to your account, or log in")),
    ),
    "cannot_be_claimed": ToldProblem(
        _("This address can’t be a player’s"),
        _("Bob is imaginary, and nobody’s player. Use an address of your own."),
        way_on=_ACCOUNT,
    ),
    "no_player_yet": ToldProblem(
        _("You have no Mahjic ID yet"),
        _("This is for players. Get your Mahjic ID first; it takes a minute."),
        way_on=("/me", _("Get my Mahjic ID")),
    ),
    "unknown_desk": ToldProblem(
        _("You have no desk here"),
        _(
            "There is nothing at this address for you. If you helped this club before, you were "
            "taken off its list, and nothing of what you typed was sent. One of its owners can "
            "invite you again."
        ),
        way_on=("/desk", _("See your desks")),
    ),
    "unknown_application": ToldProblem(
        _("We can’t find that application"),
        _(
            "There is no application of yours here. If you have just filled one in, log in with "
            "the address that you gave in it. What is not sent is erased after a day."
        ),
        way_on=_APPLICATIONS,
    ),
    "application_settled": ToldProblem(
        _("This application has moved on"),
        "",
        way_on=_APPLICATIONS,
    ),
    "unknown_draft": ToldProblem(
        _("This night is not here"),
        _(
            "Nights that are not sent are kept for 30 days. This one is gone, was thrown away, or "
            "somebody in it asked to be forgotten. Begin a new one."
        ),
        way_on=_DESK,
    ),
    "too_many_nights": ToldProblem(
        _("Too many nights are waiting"),
        "",
        way_on=_DESK,
    ),
    "unknown_roster_entry": ToldProblem(
        _("They are not on your list"),
        _(
            "They were taken off, have not played within 30 days of being added, or asked to be "
            "forgotten. Load the list again."
        ),
        way_on=_DESK,
    ),
    "owners_only": ToldProblem(
        _("Only an owner may do this"),
        _("You keep score for this club. What you asked for is for its owners: ask one of them."),
        way_on=_DESK,
    ),
    "last_owner": ToldProblem(
        _("A club needs an owner"),
        _(
            "This is the only owner, so nothing was changed. Make somebody else an owner first. "
            "If nobody else is left, ask to be forgotten, and we name another owner."
        ),
        way_on=_DESK,
    ),
    "unknown_member": ToldProblem(
        _("They are not a member"),
        _("Somebody has changed the list meanwhile, or they left. Look at it again."),
        way_on=_DESK,
    ),
    "key_form_used": ToldProblem(
        _("This page has made a key before"),
        _(
            "That key is not shown again. Look at the list of keys, and make another if you have "
            "not kept it."
        ),
        way_on=_DESK,
    ),
    "no_such_key": ToldProblem(
        _("This key no longer works"),
        _("Somebody has revoked it already. Look at the list of keys again."),
        way_on=_DESK,
    ),
    "invitation_gone": ToldProblem(
        _("There is no invitation here for you"),
        _(
            "It was answered or withdrawn, is more than 30 days old, or was sent to another "
            "address. Log in with the address that the mail came to, or ask for a new one."
        ),
        way_on=("/desk", _("See your desks and invitations")),
    ),
    "login_away": ToldProblem(
        _("You can’t log in at the moment"),
        _(
            "Everything public can be read here, but this site can’t keep what you change right "
            "now. Nothing of yours is lost. Try again in a few minutes."
        ),
        can_come_again=True,
    ),
    "no_login_here": ToldProblem(
        _("You can’t log in here"),
        _("This site is reached without encryption, so anyone could take over your login."),
    ),
    "passkey_refused": _own_account(_("That did not work with this passkey")),
    "too_many_changes": _own_account(_("That was changed very often lately")),
    "wrong_address": _own_account(_("That is not an email address")),
    "address_refused": _own_account(_("That can’t be done with this address")),
    "only_address_of_player": _own_account(_("A player of yours has this address only")),
    "not_joined": _own_account(_("The two accounts are not joined")),
    "being_computed": ToldProblem(
        _("We are working that out"),
        _(
            "A correction can change every round that came after it. Finding them means rating "
            "the whole history twice, which can take a minute. Then this page shows them all."
        ),
        can_come_again=True,
    ),
    "view_being_built": ToldProblem(
        _("This page is being put together"),
        _(
            "We are adding up the ratings again, which happens after an update. Nothing is lost. "
            "Reload the page in a minute."
        ),
        can_come_again=True,
    ),
}
_BY_STATUS: Final[Mapping[int, ToldProblem]] = {
    400: _ADDRESS,
    404: ToldProblem(
        _("We can’t find that page"),
        _("There is nothing at this address. Check it, or start from the front page."),
        can_search=True,
    ),
    405: ToldProblem(
        _("That doesn’t work here"),
        _("This page can only be read. Go back, and try again from the page before."),
    ),
    422: _ADDRESS,
    429: ToldProblem(
        _("That was a little fast"),
        _(
            "Your network has opened a lot of pages in the last minute. Wait a minute, then "
            "reload this page."
        ),
        can_come_again=True,
    ),
    503: ToldProblem(
        _("Mahjic is taking a short break"),
        _(
            "We can’t get to the ratings right now. Nothing is lost: every session that was "
            "submitted is safe. Reload the page in a minute."
        ),
        is_ours=True,
        can_come_again=True,
    ),
}
_FAULT: Final = ToldProblem(
    _("Something went wrong on our side"),
    _(
        "It wasn’t anything you did, and nothing was lost. Try again in a minute. If it happens "
        "again, tell us the number below."
    ),
    is_ours=True,
)
# Nobody types these, but links get cut short. What is wrong with them is no news to a reader.
_BY_PLACE: Final[Mapping[str, ToldProblem]] = {
    "cursor": _BY_CODE["wrong_cursor"],
    **dict.fromkeys(("player_id", "one_id", "other_id"), _BY_CODE["mistyped_player_id"]),
    "change_id": _BY_CODE["unknown_change"],
}


def told_problem(problem: Mapping[str, Any]) -> ToldProblem:
    """Return what to say about the members of a problem (RFC 9457)."""
    status = problem["status"]
    mistakes = [(_place(each), each["message"]) for each in problem.get("errors", ())]
    for place, _message in mistakes:
        if place in _BY_PLACE:
            return _BY_PLACE[place]
    told = _BY_CODE.get(problem["code"]) or _BY_STATUS.get(status)
    if told is None:
        told = _FAULT if status >= 500 else ToldProblem(problem["title"], problem["detail"])
    if not told.words:
        told = replace(told, words=problem["detail"])
    return replace(told, mistakes=[f"{place}: {message}" for place, message in mistakes])


def _place(mistake: Mapping[str, Any]) -> str:
    """Return the name of what is wrong in an address, such as `page` for `/query/page`."""
    return str(mistake["pointer"]).rpartition("/")[2]
