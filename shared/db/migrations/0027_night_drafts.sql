-- Nights that are typed at the desk of a source and not sent yet. `named` holds the ids and addresses
-- of everybody in it: with any of them forgotten, the row goes. `sending` is the claim once it is on
-- its way; of what is sent only the id of the session stays.
CREATE TABLE mahjic.night_drafts (
    source     text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    draft_id   text COLLATE "C" NOT NULL,
    begun_by   text COLLATE "C" REFERENCES mahjic.accounts ON DELETE SET NULL,
    state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'sending', 'sent')),
    night      jsonb NOT NULL,
    named      text[] COLLATE "C" NOT NULL,
    version    integer NOT NULL,
    changed_at timestamptz NOT NULL,
    sending    jsonb,
    session_id text COLLATE "C",
    PRIMARY KEY (source, draft_id),
    CHECK ((state = 'sent') = (session_id IS NOT NULL)),
    CHECK ((state = 'sending') = (sending IS NOT NULL))
);
CREATE INDEX night_drafts_by_change ON mahjic.night_drafts (changed_at);
CREATE INDEX night_drafts_by_account ON mahjic.night_drafts (begun_by);

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.night_drafts ALTER COLUMN night SET STATISTICS 0;
ALTER TABLE mahjic.night_drafts ALTER COLUMN named SET STATISTICS 0;
ALTER TABLE mahjic.night_drafts ALTER COLUMN sending SET STATISTICS 0;
