-- What is known about every player, on a board or not: anyone who becomes Verified or public must
-- come onto the boards as if they had always been there. `is_flagged` is what the facts say about
-- this id alone. A player is Verified if any member is flagged. A merged id never is.
CREATE TABLE players (
    player_id         text COLLATE "C" PRIMARY KEY,
    is_flagged        boolean NOT NULL,
    is_verified       boolean NOT NULL,
    rating_centi      bigint  NOT NULL,
    verified_games    bigint  NOT NULL,
    last_session_date date
) WITH (fillfactor = 80);

-- Who sat in a session of which source that counts. What a merged id played is its survivor's.
CREATE TABLE visits (
    player_id text COLLATE "C" NOT NULL,
    source    text COLLATE "C" NOT NULL,
    PRIMARY KEY (player_id, source)
);

-- The members of each board (`global`, `region:west`, `source:bam-good-time`): Verified, public
-- players. `rating_centi` is that of the verified pool.
CREATE TABLE standings (
    player_id         text COLLATE "C" NOT NULL,
    board             text COLLATE "C" NOT NULL,
    rating_centi      bigint NOT NULL,
    verified_games    bigint NOT NULL,
    last_session_date date,
    PRIMARY KEY (player_id, board)
);

-- Pages are read from these indexes alone. The first holds what the default filter shows.
CREATE INDEX standings_ranked
    ON standings (board, rating_centi DESC, player_id) INCLUDE (verified_games, last_session_date)
    WHERE verified_games >= 10;
CREATE INDEX standings_all
    ON standings (board, rating_centi DESC, player_id) INCLUDE (verified_games, last_session_date);

-- How many members within the default filter are in each whole point of the rating, so that a place
-- is a sum over points and never a count over players. Sums over integers are fast.
CREATE TABLE counts (
    board   text COLLATE "C" NOT NULL,
    point   bigint  NOT NULL,
    members integer NOT NULL,
    PRIMARY KEY (board, point) INCLUDE (members)
);

-- A board's `fingerprint` is a sum over its members' rows. It shows whether the board has moved, and
-- it is the same after a rebuild, which a count of changes would not be.
CREATE TABLE boards (
    board       text COLLATE "C" PRIMARY KEY,
    members     bigint NOT NULL,
    fingerprint bigint NOT NULL
);
