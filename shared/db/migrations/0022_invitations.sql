-- Mail about what was rated: to whoever was rated for the first time, once, and after a night to
-- those who chose that. Only ids and keyed hashes: the addresses are read when a letter is written.

-- How far the verdicts were followed; nothing yet without a `seq`. Whoever was rated by what was
-- played or recorded before `marked_at` gets no such mail: an earlier history of this database may
-- have sent it. Holding the row, one process at a time writes letters.
CREATE TABLE mahjic.invitations_place (
    is_only   boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    log_id    text,
    seq       bigint,
    chain     bytea CHECK (octet_length(chain) = 32),
    fact_seq  bigint NOT NULL DEFAULT 0,
    marked_at timestamptz,
    CHECK ((log_id IS NULL) = (seq IS NULL) AND (seq IS NULL) = (chain IS NULL))
);
-- Those who were rated before there were invitations get none either.
INSERT INTO mahjic.invitations_place (marked_at)
SELECT CASE WHEN EXISTS (SELECT FROM mahjic.facts) THEN now() END;

-- Whom a verdict may have rated for the first time, to be looked at when `due_at` comes.
CREATE TABLE mahjic.awaited_invitations (
    player_id text COLLATE "C" PRIMARY KEY,
    due_at    timestamptz NOT NULL
);
CREATE INDEX awaited_invitations_due ON mahjic.awaited_invitations (due_at);

-- Every address that was ever invited, for good: it stays when everything else is erased.
CREATE TABLE mahjic.invited_addresses (
    address_hash bytea PRIMARY KEY CHECK (octet_length(address_hash) = 32),
    invited_at   timestamptz NOT NULL
);
CREATE INDEX invited_addresses_by_time ON mahjic.invited_addresses (invited_at);

-- What the links of an invitation are about. The player is the one in the seat.
CREATE TABLE mahjic.invitations (
    mail_id      text COLLATE "C" PRIMARY KEY,
    number       bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    token_hash   bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    address_hash bytea NOT NULL CHECK (octet_length(address_hash) = 32),
    player_id    text COLLATE "C" NOT NULL,
    session_id   text COLLATE "C" NOT NULL,
    source       text COLLATE "C" NOT NULL,
    session_date date NOT NULL,
    queued_at    timestamptz NOT NULL,
    not_me_at    timestamptz
);
CREATE INDEX invitations_by_player ON mahjic.invitations (player_id);
CREATE INDEX invitations_not_me ON mahjic.invitations (number) WHERE not_me_at IS NOT NULL;

-- The nights that will be told, once nothing more has come of them until `due_at`.
CREATE TABLE mahjic.awaited_summaries (
    source       text COLLATE "C" NOT NULL,
    session_date date NOT NULL,
    due_at       timestamptz NOT NULL,
    PRIMARY KEY (source, session_date)
);
CREATE INDEX awaited_summaries_due ON mahjic.awaited_summaries (due_at);

-- Who was told of which night. It goes when the night is too old to be told.
CREATE TABLE mahjic.summaries (
    player_id    text COLLATE "C" NOT NULL,
    source       text COLLATE "C" NOT NULL,
    session_date date NOT NULL,
    mail_id      text COLLATE "C" NOT NULL UNIQUE,
    tells_rating boolean NOT NULL,
    queued_at    timestamptz NOT NULL,
    PRIMARY KEY (player_id, source, session_date)
);
CREATE INDEX summaries_by_night ON mahjic.summaries (session_date);

-- Whether those whom a source rates first are invited.
ALTER TABLE mahjic.sources ADD COLUMN invites boolean NOT NULL DEFAULT true;

CREATE OR REPLACE VIEW mahjic.listed_sources AS
SELECT slug, name, type, region, invites FROM mahjic.sources;
