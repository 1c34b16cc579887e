-- A round as it was rated and published. It is read whole or not at all, so its columns stay as
-- they are on the log.
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
CREATE INDEX rounds_by_session ON rounds (session_id) WHERE round_no = 1;

-- What moved each player except Bob: rounds, and corrections, whose `round_no` is 0. The order of
-- the key is log order. `on_date` is the date of the session, or of the fact of a correction. The
-- numbers before a round are in `rounds`. Those before and after a correction are here.
-- `verified_rating_after` is here for both: from it follows how far somebody moved since a day.
CREATE TABLE changes (
    player_id              text COLLATE "C" NOT NULL,
    fact_seq               bigint   NOT NULL,
    round_no               smallint NOT NULL,
    on_date                date     NOT NULL,
    change_centi           bigint   NOT NULL,
    verified_change_centi  bigint   NOT NULL,
    verified_rating_after  bigint   NOT NULL,
    rating_before          bigint,
    games_before           bigint,
    games_after            bigint,
    verified_rating_before bigint,
    verified_games_before  bigint,
    verified_games_after   bigint,
    PRIMARY KEY (player_id, fact_seq, round_no) INCLUDE (on_date)
);

-- The facts about the past. `sessions` are the first of those that were left out or whose seats were
-- reassigned, `sessions_count` is how many there are, and `players` are who was merged and into
-- whom. From `from_seq` on, up to the fact, the ratings of those it moved are no longer true.
CREATE TABLE corrections (
    fact_seq       bigint PRIMARY KEY,
    cause          text   NOT NULL,
    reason         text,
    sessions       text[] NOT NULL,
    sessions_count bigint NOT NULL,
    replaced_by    text COLLATE "C",
    players        text[] NOT NULL,
    formula        text,
    moved          bigint NOT NULL,
    from_seq       bigint NOT NULL
);

-- The facts that left a session out: one that voided it, and one that put another in its place.
CREATE TABLE endings (
    session_id  text COLLATE "C" NOT NULL,
    cause       text   NOT NULL,
    fact_seq    bigint NOT NULL,
    replaced_by text COLLATE "C",
    PRIMARY KEY (session_id, cause)
);

-- The sessions that replace another, by the fact that put them there. `place_seq` is the fact of the
-- first session in that place.
CREATE TABLE replacements (
    fact_seq     bigint PRIMARY KEY,
    session_id   text COLLATE "C" NOT NULL,
    source       text COLLATE "C" NOT NULL,
    session_date date NOT NULL,
    game_type    text NOT NULL,
    place_seq    bigint NOT NULL
);
CREATE INDEX replacements_by_session ON replacements (session_id);

-- Who is read as whom, by the verdicts up to here: the tables of ingest may be ahead. `from_seq` is
-- that of the merge.
CREATE TABLE links (
    player_id   text COLLATE "C" PRIMARY KEY,
    merged_into text COLLATE "C" NOT NULL,
    from_seq    bigint NOT NULL
);
CREATE INDEX links_by_merged_into ON links (merged_into);

-- The points of a player's chart that were above all before them and are still true, each with the
-- fact it comes after. The last one is the player's best rating.
CREATE TABLE peaks (
    player_id    text COLLATE "C" NOT NULL,
    fact_seq     bigint NOT NULL,
    rating_centi bigint NOT NULL,
    PRIMARY KEY (player_id, fact_seq)
);

-- Which formula is in force from which fact on, with its parameters as on the log, and the number of
-- the proposal that led to it.
CREATE TABLE adoptions (
    fact_seq   bigint PRIMARY KEY,
    formula    text NOT NULL,
    parameters json NOT NULL,
    proposal   text
);

-- What was played in the sessions that replace another: the results of their rounds, whose numbers
-- are in the correction alone.
CREATE TABLE replaced_rounds (
    fact_seq bigint   NOT NULL,
    round_no smallint NOT NULL,
    results  json     NOT NULL,
    PRIMARY KEY (fact_seq, round_no)
);

-- Who sits in the rounds where a seat was reassigned, by the ids of the facts: `fact_seq` is that of
-- the session.
CREATE TABLE reseated_rounds (
    fact_seq bigint   NOT NULL,
    round_no smallint NOT NULL,
    seated   text[]   NOT NULL,
    PRIMARY KEY (fact_seq, round_no)
);

-- The first fact of each day, in UTC, that had a verdict.
CREATE TABLE days (
    on_date  date   PRIMARY KEY,
    fact_seq bigint NOT NULL
);
