-- What sources are told of: what became of their sessions and players. A notice has a number of its
-- own for each source, and is kept for 30 days. It holds ids and numbers, as the interface shows them
-- to that source.

-- The last number of each source, and the last one that is gone. Whoever writes holds the row, so
-- that nobody who reads up to a number ever misses a lower one.
CREATE TABLE mahjic.notice_numbers (
    source text COLLATE "C" PRIMARY KEY,
    last   bigint NOT NULL DEFAULT 0,
    swept  bigint NOT NULL DEFAULT 0,
    CHECK (swept <= last)
);

-- `cause` keeps the same thing from being told twice. `shown_ids` are the players who are in it only
-- because everyone may see them, and who are left out once that has changed.
CREATE TABLE mahjic.notices (
    source    text COLLATE "C" NOT NULL,
    number    bigint NOT NULL,
    cause     text COLLATE "C" NOT NULL,
    kind      text NOT NULL,
    at        timestamptz NOT NULL,
    data      text NOT NULL,
    shown_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
    PRIMARY KEY (source, number),
    UNIQUE (source, cause)
);
ALTER TABLE mahjic.notices ALTER COLUMN data SET STATISTICS 0;

-- How far the verdicts were followed; nothing yet without a `seq`.
CREATE TABLE mahjic.notices_place (
    is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    log_id   text,
    seq      bigint,
    chain    bytea CHECK (octet_length(chain) = 32),
    fact_seq bigint NOT NULL DEFAULT 0,
    CHECK ((log_id IS NULL) = (seq IS NULL) AND (seq IS NULL) = (chain IS NULL))
);
INSERT INTO mahjic.notices_place DEFAULT VALUES;

-- Whom each source has named itself in a session on record, and as whom they are read.
CREATE VIEW mahjic.known_players AS
SELECT known.source, known.player_id, read_as.survivor_id
FROM mahjic.acquaintances AS known JOIN mahjic.read_players AS read_as USING (player_id);
