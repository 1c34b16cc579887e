-- Which member of a source did what to its sessions at its desk. Only the desk itself reads it: on
-- the log it was the source.
CREATE TABLE mahjic.session_acts (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source     text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    session_id text COLLATE "C" NOT NULL,
    act        text NOT NULL
        CHECK (act IN ('sent', 'corrected', 'voided', 'brought_back', 'answered')),
    account_id text COLLATE "C" REFERENCES mahjic.accounts ON DELETE SET NULL,
    at         timestamptz NOT NULL
);
CREATE INDEX session_acts_by_session ON mahjic.session_acts (session_id);
CREATE INDEX session_acts_by_account ON mahjic.session_acts (account_id);
-- All but answers happen to a session once; noted again, the first one stands.
CREATE UNIQUE INDEX session_acts_once ON mahjic.session_acts (session_id, act)
    WHERE act <> 'answered';

-- The session in whose place a night is to be put; without one it is a new night.
ALTER TABLE mahjic.night_drafts ADD COLUMN corrects text COLLATE "C";
