-- A round as rated. It is read whole or not at all, so its columns stay as they are on the log.
CREATE TABLE rounds (
    fact_seq     bigint   NOT NULL,
    round_no     smallint NOT NULL,
    session_id   text COLLATE "C" NOT NULL,
    source       text COLLATE "C" NOT NULL,
    session_date date     NOT NULL,
    game_type    text     NOT NULL,
    formula      text     NOT NULL,
    rated        json     NOT NULL,
    PRIMARY KEY (fact_seq, round_no)
);

-- Who sat in which round, but Bob. The order of the key is the order of the log.
CREATE TABLE changes (
    player_id             text COLLATE "C" NOT NULL,
    fact_seq              bigint   NOT NULL,
    round_no              smallint NOT NULL,
    session_date          date     NOT NULL,
    change_centi          bigint   NOT NULL,
    verified_change_centi bigint   NOT NULL,
    PRIMARY KEY (player_id, fact_seq, round_no) INCLUDE (session_date)
);

-- Which formula holds from which fact on, with its parameters as they stand on the log.
CREATE TABLE adoptions (
    fact_seq   bigint PRIMARY KEY,
    formula    text NOT NULL,
    parameters json NOT NULL
);
