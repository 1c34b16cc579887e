-- Every session that was ever rated, by the fact that brought it. `players` are those of the fact,
-- except Bob. `ended` says if it is voided or corrected, and is null while it counts.
CREATE TABLE sessions (
    fact_seq     bigint PRIMARY KEY,
    session_id   text COLLATE "C" NOT NULL,
    source       text COLLATE "C" NOT NULL,
    session_date date    NOT NULL,
    rounds       integer NOT NULL,
    games        integer NOT NULL,
    players      text[]  NOT NULL,
    ended        text CHECK (ended IN ('voided', 'corrected'))
);
CREATE INDEX sessions_by_id ON sessions (session_id);

-- Who sat in which of the sessions that count, by the ids of the facts, with the games they won
-- there and the wall games of their rounds.
CREATE TABLE attendances (
    player_id    text COLLATE "C" NOT NULL,
    fact_seq     bigint  NOT NULL,
    source       text COLLATE "C" NOT NULL,
    session_date date    NOT NULL,
    mahjongs     integer NOT NULL,
    wall_games   integer NOT NULL,
    PRIMARY KEY (player_id, fact_seq)
);

-- Who each player's sessions belong to: `survivor` is the end of the chain of links.
CREATE TABLE merges (
    player_id   text COLLATE "C" PRIMARY KEY,
    merged_into text COLLATE "C" NOT NULL,
    survivor    text COLLATE "C" NOT NULL
);
CREATE INDEX merges_by_survivor ON merges (survivor);
