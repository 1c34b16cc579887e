-- The tables that ingest, rater and log stand on. Whoever writes facts, people or a session's
-- status locks mahjic.head first (docs/architecture.md).

CREATE TABLE mahjic.head (
    is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    log_id     text   NOT NULL,
    fact_seq   bigint NOT NULL,
    fact_chain bytea  NOT NULL CHECK (octet_length(fact_chain) = 32),
    people_seq bigint NOT NULL
);

CREATE TABLE mahjic.facts (
    seq   bigint PRIMARY KEY CHECK (seq > 0),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    body  bytea NOT NULL
);

CREATE TABLE mahjic.verdicts (
    seq   bigint PRIMARY KEY CHECK (seq > 0),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    body  bytea NOT NULL
);

CREATE FUNCTION mahjic.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'mahjic.% is a log: records are appended and never changed', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER facts_are_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON mahjic.facts
    FOR EACH STATEMENT EXECUTE FUNCTION mahjic.refuse_change();

CREATE TRIGGER verdicts_are_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON mahjic.verdicts
    FOR EACH STATEMENT EXECUTE FUNCTION mahjic.refuse_change();

-- The one writer of verdicts: a commit names the epoch it was started with, or writes nothing.
-- `displaced` is the instance that the holder took the rating over from while it was alive.
CREATE TABLE mahjic.rater (
    is_only       boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    epoch         bigint NOT NULL,
    fact_seq      bigint NOT NULL,
    verdict_seq   bigint NOT NULL,
    verdict_chain bytea  NOT NULL CHECK (octet_length(verdict_chain) = 32),
    holder        text,
    displaced     text
);

CREATE TABLE mahjic.sources (
    slug             text COLLATE "C" PRIMARY KEY,
    name             text NOT NULL,
    type             text NOT NULL CHECK (type IN ('platform', 'club', 'league')),
    region           text,
    limit_per_minute integer CHECK (limit_per_minute > 0),
    is_suspended     boolean NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL
);

CREATE TABLE mahjic.api_keys (
    key_id     text COLLATE "C" PRIMARY KEY,
    key_hash   bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    kind       text NOT NULL CHECK (kind IN ('source', 'operator', 'auditor')),
    source     text COLLATE "C" REFERENCES mahjic.sources (slug),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    CHECK ((kind = 'source') = (source IS NOT NULL))
);

-- Every id that was ever given out, for good; nothing in it tells who somebody is.
CREATE TABLE mahjic.players (
    player_id    text COLLATE "C" PRIMARY KEY,
    first_source text COLLATE "C" REFERENCES mahjic.sources (slug),
    is_verified  boolean NOT NULL DEFAULT false
);

CREATE INDEX players_by_first_source ON mahjic.players (first_source);

-- The details of people, and nothing else keeps them: deleting the row forgets the person.
CREATE TABLE mahjic.people (
    player_id       text COLLATE "C" PRIMARY KEY REFERENCES mahjic.players (player_id),
    email           text COLLATE "C" UNIQUE,
    nickname        text,
    nickname_key    text COLLATE "C",
    nickname_source text COLLATE "C" REFERENCES mahjic.sources (slug),
    is_private      boolean NOT NULL,
    privacy_by      text NOT NULL CHECK (privacy_by IN ('source', 'player', 'operator')),
    name            text,
    offered_name    text,
    region          text,
    UNIQUE (nickname_source, nickname_key),
    CHECK ((email IS NULL) = (nickname IS NOT NULL)),
    CHECK ((nickname IS NULL) = (nickname_key IS NULL)),
    CHECK ((nickname IS NULL) = (nickname_source IS NULL))
);

-- Who changed, for the views to follow: ids only.
CREATE TABLE mahjic.people_changes (
    seq       bigint PRIMARY KEY,
    player_id text COLLATE "C" NOT NULL
);

CREATE TABLE mahjic.submissions (
    session_id        text COLLATE "C" PRIMARY KEY,
    source            text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    status            text NOT NULL CHECK (status IN ('accepted', 'voided', 'corrected')),
    fact_seq          bigint NOT NULL,
    content_print     bytea NOT NULL,
    allowed_duplicate boolean NOT NULL
);

CREATE INDEX submissions_by_content ON mahjic.submissions (content_print);

-- Fingerprints of rounds, over player ids: `base_print` of date, people, games and mahjongs;
-- `points_print` of the points as well (null in social games); `ref_print` of the source and its ref.
CREATE TABLE mahjic.round_prints (
    session_id   text COLLATE "C" NOT NULL REFERENCES mahjic.submissions (session_id),
    round_no     smallint NOT NULL,
    base_print   bytea NOT NULL,
    points_print bytea,
    ref_print    bytea,
    PRIMARY KEY (session_id, round_no)
);

CREATE INDEX round_prints_by_base ON mahjic.round_prints (base_print);
CREATE INDEX round_prints_by_ref ON mahjic.round_prints (ref_print) WHERE ref_print IS NOT NULL;

-- Idempotency keys: `key_print` of source, method, path and key; `request_print` of the content.
CREATE TABLE mahjic.idempotency_keys (
    key_print     bytea PRIMARY KEY,
    request_print bytea NOT NULL,
    session_id    text COLLATE "C" NOT NULL REFERENCES mahjic.submissions (session_id),
    created_at    timestamptz NOT NULL
);

CREATE INDEX idempotency_keys_by_age ON mahjic.idempotency_keys (created_at);
