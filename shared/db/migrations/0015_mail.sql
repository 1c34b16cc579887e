-- What is to be mailed, written in the transaction of what causes it. A mail that is settled (sent,
-- refused, given up or no longer wanted) loses what it said. Its Message-ID is the same at every try.
CREATE TABLE mahjic.mails (
    mail_id      text COLLATE "C" PRIMARY KEY,
    number       bigint GENERATED ALWAYS AS IDENTITY,
    kind         text NOT NULL,
    address      text COLLATE "C" NOT NULL,
    is_asked_for boolean NOT NULL,
    subject      text,
    plain        text,
    html         text,
    no_more_url  text,
    queued_at    timestamptz NOT NULL,
    good_until   timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    state        text NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'sent', 'refused', 'given_up', 'unwanted')),
    tries        integer NOT NULL DEFAULT 0,
    message_id   text,
    smtp_code    integer,
    lease        text,
    leased_until timestamptz,
    settled_at   timestamptz,
    CHECK ((state = 'queued') = (subject IS NOT NULL AND plain IS NOT NULL AND html IS NOT NULL)),
    CHECK ((state = 'queued') = (settled_at IS NULL)),
    CHECK (is_asked_for OR no_more_url IS NOT NULL OR state <> 'queued')
);
CREATE UNIQUE INDEX mails_by_number ON mahjic.mails (number);
CREATE INDEX mails_due ON mahjic.mails (due_at) WHERE state = 'queued';
CREATE INDEX mails_settled ON mahjic.mails (settled_at) WHERE state <> 'queued';
CREATE INDEX mails_by_address ON mahjic.mails (address);

-- To these the last mail was refused for good. One that arrives takes the mark away.
CREATE TABLE mahjic.unreachable_addresses (
    address   text COLLATE "C" PRIMARY KEY,
    since     timestamptz NOT NULL,
    smtp_code integer NOT NULL
);

-- Who wants no mail that was not asked for. Only keyed hashes, which nobody reads an address from:
-- they stay when everything else about an address is erased.
CREATE TABLE mahjic.no_more_mail (
    address_hash bytea PRIMARY KEY CHECK (length(address_hash) = 32),
    since        timestamptz NOT NULL
);

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.mails
    ALTER COLUMN address SET STATISTICS 0,
    ALTER COLUMN subject SET STATISTICS 0,
    ALTER COLUMN plain SET STATISTICS 0,
    ALTER COLUMN html SET STATISTICS 0,
    ALTER COLUMN no_more_url SET STATISTICS 0;
ALTER TABLE mahjic.unreachable_addresses ALTER COLUMN address SET STATISTICS 0;

-- Every room may erase now: which tables can be cleaned, the program knows (shared/db/erasing.py).
ALTER TABLE mahjic.erasures DROP CONSTRAINT erasures_table_name_check;
