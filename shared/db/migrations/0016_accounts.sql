-- People who log in. Nothing of it is on a log, and all of it can be erased but the acts of staff,
-- which hold ids only. Every token is kept as a hash.

CREATE TABLE mahjic.accounts (
    account_id     text COLLATE "C" PRIMARY KEY,
    -- What a passkey calls its account: random, and nobody's name.
    passkey_handle bytea NOT NULL UNIQUE CHECK (octet_length(passkey_handle) = 32),
    -- Whether a mail is enough to log in.
    mail_login     boolean NOT NULL DEFAULT true,
    made_at        timestamptz NOT NULL
);

-- One address belongs to one account. What the operator named for staff is proved by its first login.
CREATE TABLE mahjic.addresses (
    address    text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL REFERENCES mahjic.accounts ON DELETE CASCADE,
    proved_at  timestamptz
);
CREATE INDEX addresses_by_account ON mahjic.addresses (account_id);

-- What was asked for and not yet used: a link, or a code in the browser that asked. A browser has one
-- at a time. Without an account to add the address to, it logs in.
CREATE TABLE mahjic.address_proofs (
    browser_hash bytea PRIMARY KEY CHECK (octet_length(browser_hash) = 32),
    link_hash    bytea NOT NULL UNIQUE CHECK (octet_length(link_hash) = 32),
    code_hash    bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    address      text COLLATE "C" NOT NULL,
    for_account  text COLLATE "C" REFERENCES mahjic.accounts ON DELETE CASCADE,
    leads_to     text NOT NULL,
    asked_from   text NOT NULL,
    asked_at     timestamptz NOT NULL,
    wrong_codes  smallint NOT NULL DEFAULT 0
);
CREATE INDEX address_proofs_by_address ON mahjic.address_proofs (address);
CREATE INDEX address_proofs_by_account ON mahjic.address_proofs (for_account);

-- When mails were asked for lately: by address and by network, each as a keyed hash.
CREATE TABLE mahjic.mails_asked_for (
    key_hash bytea PRIMARY KEY CHECK (octet_length(key_hash) = 32),
    asked_at timestamptz[] NOT NULL DEFAULT '{}',
    last_at  timestamptz NOT NULL
);
CREATE INDEX mails_asked_for_by_age ON mahjic.mails_asked_for (last_at);

-- `beside` is a second account to which this browser has logged in as well, to join the two.
CREATE TABLE mahjic.logins (
    login_id          text COLLATE "C" PRIMARY KEY,
    token_hash        bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    account_id        text COLLATE "C" NOT NULL REFERENCES mahjic.accounts ON DELETE CASCADE,
    kind              text NOT NULL CHECK (kind IN ('person', 'staff', 'first_passkey')),
    by_passkey        boolean NOT NULL,
    browser           text NOT NULL,
    began_at          timestamptz NOT NULL,
    used_at           timestamptz NOT NULL,
    beside            text COLLATE "C" REFERENCES mahjic.accounts ON DELETE SET NULL,
    beside_at         timestamptz,
    beside_by_passkey boolean,
    CHECK (kind <> 'staff' OR by_passkey)
);
CREATE INDEX logins_by_account ON mahjic.logins (account_id);
CREATE INDEX logins_by_beside ON mahjic.logins (beside);
CREATE INDEX logins_by_use ON mahjic.logins (used_at);

CREATE TABLE mahjic.passkeys (
    passkey_id    text COLLATE "C" PRIMARY KEY,
    credential_id bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) <= 1023),
    account_id    text COLLATE "C" NOT NULL REFERENCES mahjic.accounts ON DELETE CASCADE,
    -- That of the account for which it was made: accounts can be joined.
    handle        bytea NOT NULL,
    public_key    bytea NOT NULL,
    sign_count    bigint NOT NULL,
    name          text NOT NULL,
    added_at      timestamptz NOT NULL,
    used_at       timestamptz
);
CREATE INDEX passkeys_by_account ON mahjic.passkeys (account_id);

-- What a passkey must sign, once. Without a login it is to log in with.
CREATE TABLE mahjic.passkey_challenges (
    challenge    bytea PRIMARY KEY CHECK (octet_length(challenge) = 32),
    browser_hash bytea NOT NULL,
    login_id     text COLLATE "C" REFERENCES mahjic.logins ON DELETE CASCADE,
    asked_at     timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_by_login ON mahjic.passkey_challenges (login_id);
CREATE INDEX passkey_challenges_by_age ON mahjic.passkey_challenges (asked_at);

CREATE TABLE mahjic.staff (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES mahjic.accounts ON DELETE CASCADE,
    role       text NOT NULL CHECK (role IN ('operator', 'reviewer')),
    since      timestamptz NOT NULL
);

-- What staff did, and whom they looked at: ids only, also of accounts that are gone. Without a
-- `staff_id` it was done at the machine.
CREATE TABLE mahjic.staff_acts (
    number   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL,
    staff_id text COLLATE "C",
    act      text NOT NULL CHECK (act ~ '^[a-z]+(_[a-z]+)*$'),
    about    text[] NOT NULL
);
CREATE TRIGGER staff_acts_are_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON mahjic.staff_acts
    FOR EACH STATEMENT EXECUTE FUNCTION mahjic.refuse_change();

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.addresses ALTER COLUMN address SET STATISTICS 0;
ALTER TABLE mahjic.address_proofs ALTER COLUMN address SET STATISTICS 0;
ALTER TABLE mahjic.passkeys ALTER COLUMN name SET STATISTICS 0;
