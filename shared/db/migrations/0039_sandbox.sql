-- A sandbox is a whole Mahjic for trying things out. Whether a database is one is decided when it is
-- made: then it gets a row here, and no database gets one later. `ahead_s` is how far its clock is
-- ahead of the real one.
CREATE TABLE mahjic.sandbox (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    ahead_s bigint NOT NULL DEFAULT 0 CHECK (ahead_s >= 0)
);

-- Who made each source that was made without review: a hash of what their browser keeps.
CREATE TABLE mahjic.sandbox_sources (
    source  text COLLATE "C" PRIMARY KEY REFERENCES mahjic.sources (slug),
    visitor text COLLATE "C" NOT NULL,
    made_at timestamptz NOT NULL
);
CREATE INDEX sandbox_sources_by_visitor ON mahjic.sandbox_sources (visitor);

-- What caused a mail of a sandbox, and so who is shown it: a visitor's browser, or a source's key.
CREATE TABLE mahjic.mail_causes (
    mail_id text COLLATE "C" PRIMARY KEY REFERENCES mahjic.mails (mail_id) ON DELETE CASCADE,
    cause   text COLLATE "C" NOT NULL
);
CREATE INDEX mail_causes_by_cause ON mahjic.mail_causes (cause);
