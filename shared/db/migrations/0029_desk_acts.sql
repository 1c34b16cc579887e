-- What was done about the members, the keys and the profile of a source, for its owners to read: who,
-- what, when and about whom. The address of whoever was invited or removed stays for a while, so that
-- the line tells who it was, and goes at once with its person.
CREATE TABLE mahjic.desk_acts (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source     text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    at         timestamptz NOT NULL,
    done_by    text NOT NULL CHECK (done_by IN ('member', 'operator')),
    account_id text COLLATE "C" REFERENCES mahjic.accounts ON DELETE SET NULL,
    act        text NOT NULL CHECK (act ~ '^[a-z]+(_[a-z]+)*$'),
    about      text COLLATE "C" REFERENCES mahjic.accounts ON DELETE SET NULL,
    address    text COLLATE "C",
    key_id     text COLLATE "C"
);
CREATE INDEX desk_acts_by_source ON mahjic.desk_acts (source, number);
CREATE INDEX desk_acts_by_account ON mahjic.desk_acts (account_id);
CREATE INDEX desk_acts_by_about ON mahjic.desk_acts (about);
CREATE INDEX desk_acts_by_address ON mahjic.desk_acts (address) WHERE address IS NOT NULL;

-- Sources whose last owner was forgotten, until somebody is an owner again; `told_at` once staff know.
CREATE TABLE mahjic.ownerless_sources (
    source  text COLLATE "C" PRIMARY KEY REFERENCES mahjic.sources (slug),
    since   timestamptz NOT NULL,
    told_at timestamptz
);

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.desk_acts ALTER COLUMN address SET STATISTICS 0;
