-- What voids, corrections, merges and formulas need, under the lock on mahjic.head like all that
-- ingest writes.

-- Whose rounds are read as whose. `merged_into` is the player's own link, not the last one of a
-- chain; `link_fact_seq` is the fact that made the link, or undid it last. `has_members` is set once
-- anybody is merged into the player, so that nobody looks for members of all the others.
ALTER TABLE mahjic.players
    ADD COLUMN merged_into text COLLATE "C" REFERENCES mahjic.players (player_id),
    ADD COLUMN link_fact_seq bigint,
    ADD COLUMN has_members boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT players_are_not_merged_into_themselves CHECK (merged_into <> player_id);

CREATE INDEX players_by_merged_into ON mahjic.players (merged_into) WHERE merged_into IS NOT NULL;

CREATE FUNCTION mahjic.note_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mahjic.players SET has_members = true
    WHERE player_id = NEW.merged_into AND NOT has_members;
    RETURN NULL;
END
$$;

CREATE TRIGGER members_are_noted AFTER INSERT OR UPDATE OF merged_into ON mahjic.players
    FOR EACH ROW WHEN (NEW.merged_into IS NOT NULL) EXECUTE FUNCTION mahjic.note_member();

-- Whom a player is read as: the end of the chain of links. It is the player, without any.
CREATE FUNCTION mahjic.survivor(player_id text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH RECURSIVE chain AS (
        SELECT p.player_id, p.merged_into
        FROM mahjic.players AS p WHERE p.player_id = survivor.player_id
        UNION ALL
        SELECT p.player_id, p.merged_into
        FROM chain JOIN mahjic.players AS p ON p.player_id = chain.merged_into
    )
    SELECT chain.player_id FROM chain WHERE chain.merged_into IS NULL
$$;

-- Whoever is merged into a player, over all links, and the player.
CREATE FUNCTION mahjic.members(player_id text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2 AS $$
    WITH RECURSIVE member AS (
        SELECT p.player_id FROM mahjic.players AS p WHERE p.player_id = members.player_id
        UNION ALL
        SELECT p.player_id
        FROM member JOIN mahjic.players AS p ON p.merged_into = member.player_id
    )
    SELECT member.player_id FROM member
$$;

-- The players whom everybody may see. Who is not in it (private, anonymous, erased, merged into
-- another) is shown to nobody; every view and every page asks here. Whoever has a member that is
-- private or erased is hidden with it.
CREATE OR REPLACE VIEW mahjic.public_players AS
SELECT people.player_id, people.name, COALESCE(people.region, sources.region) AS region
FROM mahjic.people
LEFT JOIN mahjic.players ON players.player_id = people.player_id
LEFT JOIN mahjic.sources ON sources.slug = players.first_source
WHERE NOT people.is_private AND people.nickname IS NULL AND players.merged_into IS NULL
    AND (
        NOT players.has_members
        OR NOT EXISTS (
            SELECT FROM mahjic.members(people.player_id) AS member (player_id)
            LEFT JOIN mahjic.people AS theirs ON theirs.player_id = member.player_id
            WHERE theirs.is_private IS NOT FALSE
        )
    );

-- Who sat in which session, by the ids that the fact names; Bob is in none. Both ids are written in
-- the transaction that puts them on record, and checking that again would slow submissions down.
CREATE TABLE mahjic.seats (
    player_id  text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (player_id, session_id)
);

-- `place_seq` is the place in the order of the log: the fact of the session, or of the first one
-- that it corrects, through chains. `ended_fact_seq` is the fact that voided or corrected it.
ALTER TABLE mahjic.submissions
    ADD COLUMN submitted_at timestamptz,
    ADD COLUMN place_seq bigint,
    ADD COLUMN corrects text COLLATE "C" REFERENCES mahjic.submissions (session_id),
    ADD COLUMN corrected_by text COLLATE "C" REFERENCES mahjic.submissions (session_id),
    ADD COLUMN ended_fact_seq bigint,
    ADD COLUMN end_reason text;

-- What the operator or a source wrote beside a fact. It is on no log, and can be erased.
CREATE TABLE mahjic.notes (
    fact_seq bigint PRIMARY KEY,
    note     text NOT NULL
);

-- The adoptions of formulas.
CREATE TABLE mahjic.formulas (
    fact_seq bigint PRIMARY KEY,
    formula  text NOT NULL,
    since    text NOT NULL CHECK (since IN ('now', 'beginning'))
);

-- What the facts tell about all this. A fact that cannot be read tells nothing, here as everywhere:
-- the rater has refused it.
CREATE FUNCTION mahjic.told_by_fact(
    body bytea, OUT type text, OUT submitted_at timestamptz, OUT players text[], OUT formula text
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    envelope jsonb;
BEGIN
    envelope := convert_from(body, 'UTF8')::jsonb;
    type := envelope ->> 'type';
    submitted_at := (envelope ->> 'time')::timestamptz;
    players := ARRAY(
        SELECT DISTINCT player #>> '{}'
        FROM jsonb_path_query(envelope, '$.data.rounds[*].players[*]') AS player
        WHERE player #>> '{}' <> 'BOB'
    );
    formula := envelope #>> '{data,formula}';
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    type := NULL;
    submitted_at := NULL;
    players := NULL;
    formula := NULL;
END
$$;

CREATE TEMPORARY TABLE told_by_facts ON COMMIT DROP AS
SELECT facts.seq, told.type, told.submitted_at, told.players, told.formula
FROM mahjic.facts AS facts CROSS JOIN LATERAL mahjic.told_by_fact(facts.body) AS told;

ANALYZE told_by_facts;

INSERT INTO mahjic.seats (player_id, session_id)
SELECT player.player_id, submissions.session_id
FROM told_by_facts AS told
JOIN mahjic.submissions AS submissions ON submissions.fact_seq = told.seq
CROSS JOIN LATERAL unnest(told.players) AS player (player_id)
WHERE told.type = 'session-submitted.v1';

UPDATE mahjic.submissions
SET place_seq = submissions.fact_seq, submitted_at = COALESCE(told.submitted_at, now())
FROM mahjic.submissions AS same
LEFT JOIN told_by_facts AS told ON told.seq = same.fact_seq
WHERE same.session_id = submissions.session_id;

INSERT INTO mahjic.formulas (fact_seq, formula, since)
SELECT told.seq, told.formula, 'now'
FROM told_by_facts AS told
WHERE told.type = 'formula-adopted.v1' AND told.formula IS NOT NULL;

DROP FUNCTION mahjic.told_by_fact(bytea);

CREATE INDEX seats_by_session ON mahjic.seats (session_id);

ALTER TABLE mahjic.submissions
    ALTER COLUMN submitted_at SET NOT NULL,
    ALTER COLUMN place_seq SET NOT NULL;

-- What a void under a key did, so that it is told again whatever became of the session since.
ALTER TABLE mahjic.idempotency_keys ADD COLUMN fact_seq bigint;
