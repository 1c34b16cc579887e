"""Which room keeps each table, what it offers to others, and who else may use the table itself.

A room reads the tables of another through a view or a function that the owner offers: the owner can
change its tables behind them, and what others must not see is not in them.
"""

from collections.abc import Mapping
from typing import Final

APPLICATIONS: Final = "services/applications"
ACCOUNTS: Final = "services/accounts"
DESKS: Final = "services/desks"
INGEST: Final = "services/ingest"
INVITATIONS: Final = "services/invitations"
NOTICES: Final = "services/notices"
TOLD: Final = "shared/notices"
OPERATING: Final = "services/operating"
ANSWERING: Final = "services/projections/answering"
BUILDING: Final = "services/projections/building"
SESSIONS: Final = "services/projections/sessions"
ACCESS: Final = "shared/access"
DATABASE: Final = "shared/db"
FEED: Final = "shared/feed"
LOG: Final = "shared/log"
MAIL: Final = "shared/mail"
SEATED: Final = "shared/seated"
SANDBOX: Final = "services/sandbox"
VERIFICATION: Final = "services/verification"

# The room that writes each table of the schema mahjic, and may do with it what it likes.
OWNERS: Final[Mapping[str, str]] = {
    "accounts": ACCOUNTS,
    "address_proofs": ACCOUNTS,
    "addresses": ACCOUNTS,
    "desk_acts": ACCOUNTS,
    "logins": ACCOUNTS,
    "mail_choices": ACCOUNTS,
    "mails_asked_for": ACCOUNTS,
    "ownerless_sources": ACCOUNTS,
    "member_invitations": ACCOUNTS,
    "passkey_challenges": ACCOUNTS,
    "passkeys": ACCOUNTS,
    "staff": ACCOUNTS,
    "staff_acts": ACCOUNTS,
    "acquaintances": INGEST,
    "alike_addresses": INGEST,
    "application_advice": APPLICATIONS,
    "application_questions": APPLICATIONS,
    "application_reviews": APPLICATIONS,
    "applications": APPLICATIONS,
    "api_keys": ACCESS,
    "disputes": INGEST,
    "erasures": DATABASE,
    "facts": LOG,
    "foreign_refusals": INGEST,
    "formulas": INGEST,
    "head": LOG,
    "idempotency_keys": INGEST,
    "awaited_invitations": INVITATIONS,
    "awaited_summaries": INVITATIONS,
    "invitations": INVITATIONS,
    "invitations_place": INVITATIONS,
    "invited_addresses": INVITATIONS,
    "summaries": INVITATIONS,
    "kafka": OPERATING,
    "mails": MAIL,
    "migrations": DATABASE,
    "no_more_mail": MAIL,
    "night_drafts": DESKS,
    "notes": INGEST,
    "notice_numbers": TOLD,
    "notices": TOLD,
    "notices_place": NOTICES,
    "own_merges": INGEST,
    "people": INGEST,
    "people_changes": INGEST,
    "players": INGEST,
    "private_words": INGEST,
    "proofs": OPERATING,
    "rater": LOG,
    "reseated_prints": INGEST,
    "reseats": INGEST,
    "roster": INGEST,
    "round_prints": INGEST,
    "seats": INGEST,
    "sources": ACCESS,
    "session_acts": ACCOUNTS,
    "source_members": ACCOUNTS,
    "sandbox": DATABASE,
    "sandbox_sources": SANDBOX,
    "mail_causes": MAIL,
    "submissions": INGEST,
    "unreachable_addresses": MAIL,
    "verdicts": LOG,
    "verification_place": VERIFICATION,
    "verification_doubts": VERIFICATION,
    "verification_watch": VERIFICATION,
    "webhook_deliveries": NOTICES,
    "webhook_endpoints": NOTICES,
    "stripe_events": VERIFICATION,
    "payments": VERIFICATION,
    "subscriptions": VERIFICATION,
    "document_hashes": VERIFICATION,
    "identity_checks": VERIFICATION,
    "stripe_requests": VERIFICATION,
    "enrollments": VERIFICATION,
    "verification_decisions": VERIFICATION,
    "verification_notes": VERIFICATION,
    "view_builds": FEED,
    "views": BUILDING,
}

# What every room may read: views and functions of the schema mahjic.
OFFERED: Final = frozenset(
    {
        "folded_name",
        "known_players",
        "listed_sources",
        "members",
        "name_line",
        "name_words",
        "once_recorded_seats",
        "own_players",
        "points_sums",
        "public_players",
        "read_players",
        "recorded_rounds",
        "recorded_seats",
        "recorded_sessions",
        "reseated_sessions",
        "shown_people",
        "survivor",
        "verified_players",
    }
)

_ITS_PROOF: Final = "`mahjic audit` holds the tables themselves against the facts."
_RECORD: Final = "It reads for ingest and for the views what a source may see of those it sent."
_POINTERS: Final = "The builds of the views are found and followed from here, whoever made them."

# Who uses a table of another room all the same, and why.
DIRECT_READS: Final[Mapping[tuple[str, str], str]] = {
    (INGEST, "facts"): "A fact is read again under the lock under which it was written.",
    (INGEST, "head"): "Whoever writes a fact locks the head first.",
    (ACCESS, "head"): "Whoever changes whom people see locks the head first.",
    (ACCESS, "people"): "The region of a source is that of its players, who have changed with it.",
    (ACCESS, "players"): "The region of a source is that of its players, who have changed with it.",
    (LOG, "kafka"): "Where the logs are is read before any log is.",
    (FEED, "people_changes"): "Views follow who changed, as they follow a log.",
    (VERIFICATION, "people_changes"): "Who was merged, parted or forgotten may be Verified or not.",
    (BUILDING, "people_changes"): "A build begins behind the last change.",
    (BUILDING, "head"): "Pages say when they are far behind the end of the log.",
    (BUILDING, "view_builds"): _POINTERS,
    (FEED, "views"): _POINTERS,
    (NOTICES, "notices"): "What was written for a source is read and erased here.",
    (NOTICES, "notice_numbers"): "What was written for a source is read and erased here.",
    (
        NOTICES,
        "sources",
    ): "A source that is suspended is told no more, and has one owner at a time.",
    (DATABASE, "sources"): "After a restore all sources skip numbers, also those that had none.",
    (DATABASE, "notice_numbers"): "A backup of before there were notices has no such table.",
    (DATABASE, "head"): "A database is a sandbox or not from when its log is founded.",
    (DATABASE, "view_builds"): "A backup takes the schemas of the views along.",
    (DATABASE, "mails"): "A backup of before there was mail has no such table.",
    (DATABASE, "invitations_place"): "A backup of before there were invitations has no such table.",
    (DATABASE, "verification_watch"): "A backup of before there was Stripe has no such table.",
    ("services/database", "migrations"): "A database is opened only if it is no newer than we.",
    (ANSWERING, "views"): _POINTERS,
    (ANSWERING, "view_builds"): _POINTERS,
    (ANSWERING, "head"): "Nobody waits for a fact beyond the end of the log.",
    (SESSIONS, "facts"): "The log: its rows never change, and the fact says what was submitted.",
    (SESSIONS, "notes"): "A note stands beside its fact and has no other column.",
    (OPERATING, "views"): "The status tells of every view.",
    (OPERATING, "view_builds"): "The status tells of every build.",
    (OPERATING, "head"): "The status tells where the log ends.",
    (OPERATING, "rater"): "The status tells who rates, and how far.",
    (OPERATING, "foreign_refusals"): "The status tells how often each source was refused.",
    (OPERATING, "alike_addresses"): "The status tells of addresses that are one now.",
    (OPERATING, "people"): "The status tells of addresses that are one now, by ids.",
    (OPERATING, "facts"): _ITS_PROOF,
    (OPERATING, "formulas"): _ITS_PROOF,
    (OPERATING, "players"): _ITS_PROOF,
    (OPERATING, "reseated_prints"): _ITS_PROOF,
    (OPERATING, "reseats"): _ITS_PROOF,
    (OPERATING, "round_prints"): _ITS_PROOF,
    (OPERATING, "seats"): _ITS_PROOF,
    (OPERATING, "submissions"): _ITS_PROOF,
    (SEATED, "acquaintances"): _RECORD,
    (SEATED, "people"): _RECORD,
    (SEATED, "private_words"): _RECORD,
    (SEATED, "seats"): _RECORD,
    (SEATED, "submissions"): _RECORD,
}
DIRECT_WRITES: Final[Mapping[tuple[str, str], str]] = {
    (DATABASE, "mails"): "What waited when a backup was made is given up as it is restored.",
    (NOTICES, "notices"): "What is old is erased here.",
    (NOTICES, "notice_numbers"): "It notes what is gone.",
    (DATABASE, "notice_numbers"): "After a restore, no number is given out that may have been.",
    (DATABASE, "invitations_place"): "A restore marks from where on nobody may have had a mail.",
    (
        DATABASE,
        "verification_watch",
    ): "Nothing ends by time before Stripe was asked after a restore.",
    (DATABASE, "enrollments"): "A restore has Stripe asked about all of them.",
    (INGEST, "head"): "The changes of people are numbered there, in the transaction of the fact.",
    (INGEST, "sources"): "Recovery brings the sources back that the facts of Kafka name.",
    (ACCESS, "head"): "The changes of people are numbered there.",
    (ACCESS, "people_changes"): "A source that moves changes what its players show.",
    (BUILDING, "view_builds"): "It makes and removes the builds that the feed moves on.",
}

# Written by a migration, and by no program since.
WRITTEN_ONCE: Final = frozenset({"alike_addresses"})

# Which views a room reads besides its own; the first of each pair is a room of the projections.
VIEWS_READ: Final = frozenset(
    {
        ("charts", "history"),  # The points, and the best of them.
        ("charts", "profiles"),  # The record stands beside the chart.
        ("lately", "leaderboards"),  # Who played lately is named if the board does.
        ("lately", "sources"),  # The newest sessions that count stand there.
        ("leaderboards", "history"),  # How far those on a board moved lately.
        ("search", "profiles"),  # Whom a search finds is shown with the rating.
        ("together", "history"),  # What was played in those sessions.
        ("together", "profiles"),  # Who sat in which session that counts.
        ("seasons", "history"),  # The rounds of its sessions stand there, as they were rated.
        ("seasons", "profiles"),  # Where its public players stand now.
        ("seasons", "sessions"),  # The rounds of a session that took the place of another.
        ("sessions", "history"),  # What a change of the past did to each player stands there.
    }
)
