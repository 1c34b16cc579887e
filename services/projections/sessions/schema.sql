-- What the rater concluded about a session; `verdict` is the record as it stands on the log.
CREATE TABLE sessions (
    session_id text COLLATE "C" PRIMARY KEY,
    fact_seq   bigint  NOT NULL,
    is_rated   boolean NOT NULL,
    verdict    bytea   NOT NULL
);
