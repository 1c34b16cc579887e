"""A desk that judges submissions one by one, as if each was recorded at once."""

from dataclasses import dataclass, field, replace

from services.ingest.record.judging.identified import Identified, Submission, identify
from services.ingest.record.judging.judge import judge
from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.judging.on_record import KnownPerson, OnRecord, person_key
from services.ingest.record.judging.taking_in import take_in
from tests.ingest.claims import Claim, read

HOME, AWAY = "home-club", "away-club"


@dataclass
class Desk:
    """Somebody with a record made by hand, who judges one submission after the other."""

    record: OnRecord = field(default_factory=lambda: OnRecord({}, 100))
    sessions: int = 0
    survivors: dict[str, str] = field(default_factory=dict)

    def judge(self, claim: Claim, *, source: str = HOME, key: str | None = None) -> Judgment:
        """Judge a submission, and take the judgment in."""
        identified = self.receive(claim, source=source, key=key)
        judgment = judge(identified, self.record, self.sessions)
        take_in(identified, judgment, self.record)
        return judgment

    def receive(self, claim: Claim, *, source: str = HOME, key: str | None = None) -> Identified:
        """Give the people of a submission ids; who has none yet is new."""
        self.sessions += 1
        session = read(claim, source=source)
        for seat in (seat for played in session.rounds for seat in played.seats):
            who = person_key(seat.person, source)
            if seat.person.kind != "bob" and who not in self.record.people:
                player_id = f"MJ-{'/'.join(who)}"
                self.record.people[who] = KnownPerson(
                    player_id,
                    self.survivors.get(player_id, player_id),
                    is_private=seat.person.kind == "anonymous",
                    privacy_by="source",
                    first_source=None,
                    is_new=True,
                )
        key_print = None if key is None else f"{source} {key}".encode()
        submission = Submission(f"session-{self.sessions}", source, session, key_print)
        return identify(submission, self.record.people)

    def take_back(self, session_id: str, status: str) -> None:
        """Void or correct a session: it is known, and its rounds are no longer held."""
        after = OnRecord(
            self.record.people, 100, keys=self.record.keys, acquainted=self.record.acquainted
        )
        for content, sessions in self.record.by_content.items():
            for each in sessions:
                is_it = each.session_id == session_id
                after.add_session(content, replace(each, status=status) if is_it else each)  # type: ignore[arg-type]
        for rounds in self.record.by_base.values():
            for known in rounds:
                if known.session_id != session_id:
                    after.add_round(known)
        self.record = after


def code_of(judgment: Judgment) -> str:
    """Return in a word what was decided."""
    match judgment:
        case Accepted():
            return "accepted"
        case Replayed(session_id=session_id, by_key=by_key):
            return f"{session_id} by {'key' if by_key else 'content'}"
        case _:
            return judgment.code
