-- What counts from each source. `players` counts only public players: a count that grows with a
-- private player would reveal one.
CREATE TABLE sources (
    source            text COLLATE "C" PRIMARY KEY,
    sessions          bigint NOT NULL,
    rounds            bigint NOT NULL,
    games             bigint NOT NULL,
    players           bigint NOT NULL,
    sessions_voided   bigint NOT NULL,
    last_session_date date
);

-- Who sat in a session of the source that counts, except Bob. What a merged id played belongs to its
-- survivor.
CREATE TABLE players (
    player_id text COLLATE "C" NOT NULL,
    source    text COLLATE "C" NOT NULL,
    is_public boolean NOT NULL,
    PRIMARY KEY (player_id, source)
);
