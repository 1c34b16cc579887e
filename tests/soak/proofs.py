"""Holds what is on record against the books, and against what the facts say when told again."""

from collections import Counter

from tests.soak.books import Books
from tests.soak.changing import Changed
from tests.soak.site import Site

HEAD = "SELECT fact_seq FROM mahjic.head"
STATUSES = "SELECT status, count(*) AS count FROM mahjic.submissions GROUP BY status"
LIVE_PROFILES = "SELECT live_schema FROM mahjic.views WHERE name = 'profiles'"
GAMES = """
SELECT coalesce(person.email, person.nickname_source || '/' || person.nickname_key) AS who,
       profile.games
FROM {schema}.profiles AS profile JOIN mahjic.people AS person USING (player_id)
"""
# The formula that holds from the beginning is on the log before the first session.
FACTS_BEFORE = 1


async def prove_books(site: Site, books: Books, changed: Changed) -> list[str]:
    """Check that exactly what the books say is on record, and everybody's games."""
    expected = Counter(
        accepted=books.sessions - len(books.changes) + books.corrected,
        voided=books.voided,
        corrected=books.corrected,
    )
    rows = await site.pool.fetch(STATUSES)
    statuses = Counter({row["status"]: row["count"] for row in rows})
    assert statuses == expected, f"{statuses} are on record, and the books say {expected}."
    facts = FACTS_BEFORE + books.sessions + len(books.changes) + len(changed.verified)
    assert await fact_seq(site) == facts, f"{await fact_seq(site)} facts, not {facts}."
    schema = await site.pool.fetchval(LIVE_PROFILES)
    games = {row["who"]: row["games"] for row in await site.pool.fetch(GAMES.format(schema=schema))}
    wrong = {who for who in games | books.games if games.get(who, 0) != books.games[who]}
    assert not wrong, f"The games of {len(wrong)} players are wrong, as of {min(wrong)}."
    on_record = (
        f"{books.sessions:,} sessions are on record, as the books say: "
        f"{statuses['accepted']:,} count, {books.corrected} of them corrections; "
        f"{books.voided} are voided and {books.corrected} corrected."
    )
    return [
        on_record,
        f"The log has {facts:,} facts, as the books say.",
        f"The games of all {len(games):,} players are those of the books.",
    ]


async def prove_ratings(site: Site) -> list[str]:
    """Check the chains and sums of both logs, and every number against a replay of all facts."""
    return [*await site.prove("verify"), *await site.prove("replay")]


async def fact_seq(site: Site) -> int:
    """Return the last fact."""
    seq = await site.pool.fetchval(HEAD)
    assert isinstance(seq, int)
    return seq
