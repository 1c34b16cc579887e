"""Makes what the staff desk stands on, from what a process is made of."""

from collections.abc import Callable

from services.foresight.working import Foresights
from services.people.answering import AnswersTold
from services.ports import (
    ERASABLES,
    accounts_of,
    changing_ports,
    door_of,
    verification_of,
)
from services.projections.sessions.told import last_answered_on
from services.site.staff.at_staff import StaffRoom
from services.staffing.disputes import StaffDisputes
from services.staffing.foreseeing import Foreseeing
from services.staffing.formulas import StaffFormulas
from services.staffing.mails import StaffMails
from services.staffing.merging import StaffMerges
from services.staffing.players import StaffPlayers
from services.staffing.sources import StaffSources
from services.staffing.standing import StaffParts
from services.staffing.verifying import StaffVerifying
from services.staffing.voiding import StaffVoids
from services.wiring import Service
from shared.proposals.shelf import read_shelf


def staff_room(s: Service, *, is_open: Callable[[], bool] = lambda: True) -> StaffRoom:
    """Return what the staff desk stands on; what it changes is written while the recorder runs."""
    accounts = accounts_of(s.process, s.recording)
    changing = changing_ports(s.process, s.recording, s.views.reader)
    rounds_max = s.process.settings.replayed_rounds_max
    foreseeing = Foreseeing(Foresights(), s.logs.recorded, rounds_max)
    return StaffRoom(
        door=door_of(s.process, s.recording, is_open),
        sources=StaffSources(accounts),
        disputes=StaffDisputes(accounts, AnswersTold(accounts)),
        mails=StaffMails(accounts),
        players=StaffPlayers(
            accounts,
            s.recording.waterline,
            s.recording.ids_and_times,
            ERASABLES,
        ),
        verified=StaffVerifying(accounts, verification_of(s.process, s.recording)),
        merges=StaffMerges(accounts, changing, foreseeing),
        voids=StaffVoids(accounts, changing, foreseeing),
        formulas=StaffFormulas(accounts, changing, foreseeing, read_shelf()),
        parts=StaffParts(accounts, s.logs, last_answered_on(s.logs.verdicts)),
    )
