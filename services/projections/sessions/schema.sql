-- What the rater concluded about a session. `verdict` is the record as it is on the log. It is null
-- if the session replaced another: then `changes` has it, at the same fact.
CREATE TABLE sessions (
    session_id text COLLATE "C" PRIMARY KEY,
    fact_seq   bigint  NOT NULL,
    is_rated   boolean NOT NULL,
    verdict    bytea
);

-- What the rater concluded about a change to the past, and about facts that it refused: the type of
-- the verdict, and its data as on the log, but with no more players than an answer can show.
CREATE TABLE changes (
    fact_seq bigint PRIMARY KEY,
    type     text  NOT NULL,
    data     bytea NOT NULL
);
