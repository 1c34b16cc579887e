-- How the last proof ended. `outcome` is 'held' where everything was as it should be; 'failed', with
-- the code of the error, where it came to no end.
CREATE TABLE mahjic.proofs (
    proof       text PRIMARY KEY,
    ended_at    timestamptz NOT NULL,
    outcome     text NOT NULL CHECK (outcome IN ('held', 'differed', 'not_compared', 'failed')),
    code        text,
    fact_seq    bigint,
    verdict_seq bigint,
    differences bigint NOT NULL
);
