-- Where sources want to be told what happened to their sessions and players, and what was sent there.

-- An address of a source. `spread_to` is the last event that has a row below. After a failure the
-- whole address pauses, and `failing_since` counts until something arrives again. The newest secret
-- comes first; there are two while one is changed.
CREATE TABLE mahjic.webhook_endpoints (
    endpoint_id   text COLLATE "C" PRIMARY KEY,
    source        text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    url           text NOT NULL,
    secrets       text[] NOT NULL CHECK (cardinality(secrets) BETWEEN 1 AND 2),
    created_at    timestamptz NOT NULL,
    state         text NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'off', 'gone', 'failing')),
    state_since   timestamptz NOT NULL,
    spread_to     bigint NOT NULL,
    failures      integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    failed_at     timestamptz,
    paused_until  timestamptz,
    is_slow       boolean NOT NULL DEFAULT true,
    CHECK ((failures = 0) = (failing_since IS NULL)),
    CHECK ((failures = 0) = (failed_at IS NULL)),
    CHECK ((failures = 0) = (paused_until IS NULL))
);
ALTER TABLE mahjic.webhook_endpoints ALTER COLUMN secrets SET STATISTICS 0;
CREATE INDEX webhook_endpoints_by_source ON mahjic.webhook_endpoints (source);

-- An event on its way to an address, or there: without `due_at` it is settled. Whoever sends it
-- holds it until `leased_until`. What came of the last try stays for the desk.
CREATE TABLE mahjic.webhook_deliveries (
    endpoint_id  text COLLATE "C" NOT NULL
        REFERENCES mahjic.webhook_endpoints ON DELETE CASCADE,
    number       bigint NOT NULL,
    due_at       timestamptz,
    leased_until timestamptz,
    tries        integer NOT NULL DEFAULT 0,
    tried_at     timestamptz,
    outcome      text,
    status       smallint,
    answer       text,
    took_ms      integer,
    PRIMARY KEY (endpoint_id, number)
);
ALTER TABLE mahjic.webhook_deliveries ALTER COLUMN answer SET STATISTICS 0;
CREATE INDEX webhook_deliveries_due ON mahjic.webhook_deliveries (endpoint_id, due_at, number)
WHERE due_at IS NOT NULL;
