-- What people who log in do about themselves.

-- Someone may take an address away from their player for good. The player stays, and the next time
-- the address is sent it is somebody new's.
ALTER TABLE mahjic.people DROP CONSTRAINT people_check;
ALTER TABLE mahjic.people
    ADD CONSTRAINT people_have_an_address_or_a_nickname CHECK (email IS NULL OR nickname IS NULL);

-- Merges that people made by themselves, by ids: there are only so many, also if staff undid some.
CREATE TABLE mahjic.own_merges (
    fact_seq  bigint PRIMARY KEY,
    player_id text COLLATE "C" NOT NULL,
    into_id   text COLLATE "C" NOT NULL
);
CREATE INDEX own_merges_by_player ON mahjic.own_merges (player_id);
CREATE INDEX own_merges_by_into ON mahjic.own_merges (into_id);

-- "I did not play this": what a player says about a session, and what they were answered. It is on
-- no log, and erased with the player. The id is that of the seat. What became of the session is not
-- kept here: the record says it.
CREATE TABLE mahjic.disputes (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player_id   text COLLATE "C" NOT NULL,
    session_id  text COLLATE "C" NOT NULL,
    source      text COLLATE "C" NOT NULL,
    said        text NOT NULL,
    said_at     timestamptz NOT NULL,
    answer      text,
    answered_at timestamptz,
    UNIQUE (player_id, session_id),
    CHECK ((answer IS NULL) = (answered_at IS NULL))
);
CREATE INDEX disputes_by_session ON mahjic.disputes (session_id);
CREATE INDEX disputes_by_source ON mahjic.disputes (source, number);

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.disputes
    ALTER COLUMN said SET STATISTICS 0,
    ALTER COLUMN answer SET STATISTICS 0;
