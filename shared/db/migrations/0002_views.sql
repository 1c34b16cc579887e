-- Where the views stand: each build of a view is a schema of its own, and one row per view says
-- which build is read. Readers swap to another build by that row.

-- A build and the place on the log of verdicts that its rows stand for; the place is saved in the
-- same transaction as the rows. `fact_seq` is the last fact that is answered up to there.
CREATE TABLE mahjic.view_builds (
    schema_name text COLLATE "C" PRIMARY KEY,
    view        text COLLATE "C" NOT NULL,
    version     integer NOT NULL,
    log_id      text   NOT NULL,
    seq         bigint NOT NULL,
    chain       bytea  NOT NULL CHECK (octet_length(chain) = 32),
    fact_seq    bigint NOT NULL,
    people_seq  bigint NOT NULL
) WITH (fillfactor = 50); -- The rows change with every batch.

-- `builds_made` numbers the builds, so that no schema name is ever used twice.
CREATE TABLE mahjic.views (
    name        text COLLATE "C" PRIMARY KEY,
    builds_made integer NOT NULL,
    live_schema text COLLATE "C" REFERENCES mahjic.view_builds (schema_name)
);

-- The players whom everybody may see. Who is not in it (private, anonymous, erased) is shown to
-- nobody; every view and every page asks here. An anonymous player has a nickname and no address.
CREATE VIEW mahjic.public_players AS
SELECT people.player_id, people.name, COALESCE(people.region, sources.region) AS region
FROM mahjic.people
LEFT JOIN mahjic.players ON players.player_id = people.player_id
LEFT JOIN mahjic.sources ON sources.slug = players.first_source
WHERE NOT people.is_private AND people.nickname IS NULL;

-- The words of a name as they are searched: small letters, without accents and punctuation.
CREATE FUNCTION mahjic.name_words(name text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_remove(
        regexp_split_to_array(
            lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g')),
            '[\s!-/:-@\[-`{-~]+'
        ),
        ''
    )
$$;

CREATE INDEX people_by_name_words ON mahjic.people
    USING gin (array_to_tsvector(mahjic.name_words(name)))
    WHERE NOT is_private AND nickname IS NULL AND name IS NOT NULL;
