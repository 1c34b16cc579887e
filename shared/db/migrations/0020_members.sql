-- Who keeps the desk of a source. An owner sees a member by the address that was invited, and by no
-- other of that account.
CREATE TABLE mahjic.source_members (
    source     text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    account_id text COLLATE "C" NOT NULL REFERENCES mahjic.accounts ON DELETE CASCADE,
    role       text NOT NULL CHECK (role IN ('owner', 'scorer')),
    known_as   text COLLATE "C",
    since      timestamptz NOT NULL,
    PRIMARY KEY (source, account_id)
);
CREATE INDEX members_by_account ON mahjic.source_members (account_id);

-- Whoever proves the address may accept. The word of an owner who is one no longer is worth nothing,
-- so their invitations go with them.
CREATE TABLE mahjic.member_invitations (
    invitation_id text COLLATE "C" PRIMARY KEY,
    source        text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    address       text COLLATE "C" NOT NULL,
    role          text NOT NULL CHECK (role IN ('owner', 'scorer')),
    invited_by    text COLLATE "C" NOT NULL REFERENCES mahjic.accounts ON DELETE CASCADE,
    invited_at    timestamptz NOT NULL,
    UNIQUE (source, address)
);
CREATE INDEX member_invitations_by_address ON mahjic.member_invitations (address);
CREATE INDEX member_invitations_by_inviter ON mahjic.member_invitations (invited_by);

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.source_members ALTER COLUMN known_as SET STATISTICS 0;
ALTER TABLE mahjic.member_invitations ALTER COLUMN address SET STATISTICS 0;
