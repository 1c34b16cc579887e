"""The form in which people say how they are seen and what mail they want: read, and told.

A name that a source sent is picked as it stands there, so what is shown to everyone is what was
read when the button was pressed, whatever the source has sent since.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from services.accounts.own.mail_choices import MailChoice
from services.site.boards.places import REGIONS
from services.site.kit.words import _
from services.site.me.people import AboutMe, MyChoices, ProposedName
from shared.own_words.public_names import UnfitName, read_public_name

# More sources than these hardly ever write one person in as many ways.
PROPOSED_MAX: Final = 10
MAIL_CHOICES: Final[Sequence[MailChoice]] = get_args(MailChoice)
SEEN: Final = ("visible", "private")
NO_NAME, TYPED, PROPOSED = "none", "typed", "name:"
# The field that a mistake is about, and the words for it.
Mistake = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ChoiceForm:
    """What the fields of the form hold, right or wrong.

    `pick` is NO_NAME, TYPED for what is in `name`, or PROPOSED with a name behind it.
    """

    pick: str
    name: str
    region: str
    seen: str
    mail: str


def form_of(me: AboutMe, proposed: Sequence[ProposedName], mail: MailChoice | None) -> ChoiceForm:
    """Return the form with what was set before; whoever never chose a name chooses one now."""
    pick, name = "", ""
    if me.name is not None and any(each.name == me.name for each in proposed):
        pick = PROPOSED + me.name
    elif me.name is not None or not proposed:
        pick, name = TYPED, me.name or ""
    elif mail is not None:
        pick = NO_NAME
    seen = "private" if me.is_private else "visible"
    return ChoiceForm(pick, name, me.region or "", seen, mail or "important")


def fit_names(proposed: Sequence[ProposedName]) -> Sequence[ProposedName]:
    """Return the names that can be public ones, those of most sources first."""
    sources: dict[str, dict[str, None]] = {}
    for each in proposed:
        try:
            name = read_public_name(each.name)
        except UnfitName:
            continue
        sources.setdefault(name, {}).update(dict.fromkeys(each.sources))
    found = [ProposedName(name, tuple(known)) for name, known in sources.items()]
    return sorted(found, key=lambda each: (-len(each.sources), each.name))[:PROPOSED_MAX]


def read_choice_form(sent: Mapping[str, str]) -> ChoiceForm:
    """Return the form as it was sent. A form without a list of names has only the field for one."""
    name = sent.get("name", "")
    is_typed = bool(name.strip())
    pick = sent.get("pick", TYPED if is_typed or "picks" not in sent else "")
    return ChoiceForm(
        pick, name, sent.get("region", ""), sent.get("seen", ""), sent.get("mail", "")
    )


def choices_in(form: ChoiceForm) -> tuple[MyChoices | None, Sequence[Mistake]]:
    """Return what a form says, or every mistake in it, with the field it is at."""
    mistakes: list[Mistake] = []
    name = _name(form, mistakes)
    if form.region and form.region not in REGIONS:
        mistakes.append(("region", _("Choose one of the regions in the list.")))
    if form.seen not in SEEN:
        mistakes.append(("seen", _("Choose whether others can see you.")))
    mail = next((each for each in MAIL_CHOICES if each == form.mail), None)
    if mail is None:
        mistakes.append(("mail", _("Choose what mail you want.")))
    if mistakes or mail is None:
        return None, mistakes
    return MyChoices(name, form.region, form.seen == "private", mail), ()


def _name(form: ChoiceForm, mistakes: list[Mistake]) -> str:
    """Return the name that is chosen, nothing for none."""
    typed = form.name.strip()
    if form.pick.startswith(PROPOSED):
        chosen = form.pick.removeprefix(PROPOSED)
    elif form.pick in {TYPED, NO_NAME}:
        chosen = typed if form.pick == TYPED else ""
    else:
        mistakes.append(("name", _("Choose the name that others see, or no name.")))
        return ""
    if form.pick != TYPED and typed and typed != chosen:
        words = _(
            "You typed a name and chose another answer above it. Choose “Another name” if you "
            "want what you typed, or clear the field."
        )
        mistakes.append(("name", words))
        return ""
    if not chosen:
        return ""
    try:
        return read_public_name(chosen)
    except UnfitName as unfit:
        mistakes.append(("name", unfit.detail))
        return ""
