-- What counts of each source. `players` counts the public ones only: a count that grows by a private
-- player would tell of one.
CREATE TABLE sources (
    source            text COLLATE "C" PRIMARY KEY,
    sessions          bigint NOT NULL,
    rounds            bigint NOT NULL,
    games             bigint NOT NULL,
    players           bigint NOT NULL,
    sessions_voided   bigint NOT NULL,
    last_session_date date
);

-- Who sat in a session of the source that counts, but Bob. What a merged id played is its
-- survivor's.
CREATE TABLE players (
    player_id text COLLATE "C" NOT NULL,
    source    text COLLATE "C" NOT NULL,
    is_public boolean NOT NULL,
    PRIMARY KEY (player_id, source)
);
