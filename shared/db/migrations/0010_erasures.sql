-- Forgetting a row leaves its bytes in the pages of the table until those are written anew. What
-- waits for that is noted here, in the transaction that erases: the table, and the last transaction
-- that erased something in it.
CREATE TABLE mahjic.erasures (
    table_name text COLLATE "C" PRIMARY KEY
        CHECK (table_name IN ('people', 'acquaintances', 'private_words', 'notes')),
    xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    erased_at  timestamptz NOT NULL DEFAULT now()
);

-- The statistics of a column hold samples of it, and nobody needs them: whoever looks for an address
-- or a nickname finds it by a unique index. A change of type drops what was sampled before.
DROP VIEW mahjic.public_players;

ALTER TABLE mahjic.people
    ALTER COLUMN email SET STATISTICS 0,
    ALTER COLUMN nickname SET STATISTICS 0,
    ALTER COLUMN nickname_key SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN offered_name SET STATISTICS 0,
    ALTER COLUMN email TYPE text COLLATE "C",
    ALTER COLUMN nickname TYPE text,
    ALTER COLUMN nickname_key TYPE text COLLATE "C",
    ALTER COLUMN name TYPE text,
    ALTER COLUMN offered_name TYPE text;
ALTER INDEX mahjic.people_by_name_words ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE mahjic.acquaintances
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN name TYPE text;
ALTER TABLE mahjic.notes
    ALTER COLUMN note SET STATISTICS 0,
    ALTER COLUMN note TYPE text;

CREATE VIEW mahjic.public_players AS
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

-- Whoever was forgotten before is still in these pages.
INSERT INTO mahjic.erasures (table_name)
SELECT kept.table_name FROM unnest(ARRAY['people', 'acquaintances', 'notes']) AS kept (table_name)
WHERE EXISTS (SELECT FROM mahjic.facts);
