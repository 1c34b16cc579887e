-- What a source's own people call those who play there, beside the names that it sent: a row for a
-- name that they changed or took off, by the id of the address or nickname; and one for an address
-- that it has not sent yet, which is gone after 30 days. No other source is shown any of it.
CREATE TABLE mahjic.roster (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source     text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    player_id  text COLLATE "C",
    address    text COLLATE "C",
    is_private boolean NOT NULL DEFAULT false,
    name       text,
    written_at timestamptz NOT NULL,
    UNIQUE (source, player_id),
    UNIQUE (source, address),
    CHECK ((player_id IS NULL) <> (address IS NULL)),
    -- Without a name somebody is taken off.
    CHECK (name IS NOT NULL OR address IS NULL)
);
CREATE INDEX roster_by_player ON mahjic.roster (player_id) WHERE player_id IS NOT NULL;
CREATE INDEX roster_by_address ON mahjic.roster (address) WHERE address IS NOT NULL;

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.roster
    ALTER COLUMN address SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0;
