-- Who is Verified, and why. Cards, documents and names are with Stripe alone: what is kept here of a
-- document is a keyed hash.

-- What staff decided about a player, for as long as it holds. `reason` is in words, and is erased
-- with its person.
CREATE TABLE mahjic.verification_decisions (
    player_id  text COLLATE "C" PRIMARY KEY REFERENCES mahjic.players,
    decision   text NOT NULL CHECK (decision IN ('grant', 'block')),
    reason     text,
    decided_at timestamptz NOT NULL
);
ALTER TABLE mahjic.verification_decisions ALTER COLUMN reason SET STATISTICS 0;

-- An account that began to become Verified, and the player whom it does that for. Without an account
-- it is of somebody who was forgotten, and goes once Stripe has erased what it had.
CREATE TABLE mahjic.enrollments (
    enrollment_id text COLLATE "C" PRIMARY KEY,
    account_id    text COLLATE "C" REFERENCES mahjic.accounts ON DELETE SET NULL,
    player_id     text COLLATE "C" NOT NULL REFERENCES mahjic.players,
    customer_id   text COLLATE "C" UNIQUE,
    begun_at      timestamptz NOT NULL,
    -- When Stripe was last asked how things stand, and when it is to be asked again at the latest.
    looked_at     timestamptz,
    look_due_at   timestamptz,
    -- A worker is at it, or waits for Stripe, until then.
    look_taken    timestamptz,
    look_tries    integer NOT NULL DEFAULT 0,
    closing_at    timestamptz
);
CREATE INDEX enrollments_by_account ON mahjic.enrollments (account_id);
CREATE INDEX enrollments_by_player ON mahjic.enrollments (player_id);
CREATE INDEX enrollments_due ON mahjic.enrollments (look_due_at) WHERE look_due_at IS NOT NULL;
CREATE INDEX enrollments_left ON mahjic.enrollments (enrollment_id) WHERE account_id IS NULL;

-- What Stripe is asked to make or undo. The key stands here before Stripe gets it, so that asking
-- again makes nothing twice. What nobody waits for has a time when it is due.
CREATE TABLE mahjic.stripe_requests (
    key           text COLLATE "C" PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN (
        'checkout', 'check', 'portal', 'refund', 'cancel_subscription', 'redact_check',
        'delete_customer')),
    enrollment_id text COLLATE "C" NOT NULL REFERENCES mahjic.enrollments ON DELETE CASCADE,
    -- What it is about, or what came of it.
    object_id     text COLLATE "C",
    asked_at      timestamptz NOT NULL,
    due_at        timestamptz,
    tries         integer NOT NULL DEFAULT 0,
    done_at       timestamptz,
    outcome       text
);
CREATE INDEX stripe_requests_by_enrollment ON mahjic.stripe_requests (enrollment_id, kind);
CREATE INDEX stripe_requests_due ON mahjic.stripe_requests (due_at)
    WHERE due_at IS NOT NULL AND done_at IS NULL;
CREATE INDEX stripe_requests_by_object ON mahjic.stripe_requests (object_id);
-- A background request about one thing is asked for once.
CREATE UNIQUE INDEX stripe_requests_once ON mahjic.stripe_requests (kind, object_id)
    WHERE due_at IS NOT NULL;

-- The checks of identities: what state they are in, and nothing that they have seen.
CREATE TABLE mahjic.identity_checks (
    key           text COLLATE "C" PRIMARY KEY,
    enrollment_id text COLLATE "C" NOT NULL REFERENCES mahjic.enrollments ON DELETE CASCADE,
    session_id    text COLLATE "C" UNIQUE,
    state         text NOT NULL CHECK (state IN (
        'asked', 'requires_input', 'processing', 'verified', 'canceled')),
    error_code    text,
    begun_at      timestamptz NOT NULL,
    changed_at    timestamptz NOT NULL,
    -- It counts from here on.
    passed_at     timestamptz,
    -- Why staff have to look at it first, and the hash of the document that somebody else has shown.
    held_for      text CHECK (held_for IN ('same_document', 'no_number')),
    held_hash     bytea,
    -- The hash of name and birth date on it, to tell staff whether they are the first one's.
    held_person   bytea,
    is_redacted   boolean NOT NULL DEFAULT false,
    CHECK (passed_at IS NULL OR state = 'verified'),
    CHECK (held_for IS NULL OR state = 'verified')
);
CREATE INDEX identity_checks_by_enrollment ON mahjic.identity_checks (enrollment_id);
CREATE INDEX identity_checks_held ON mahjic.identity_checks (held_hash) WHERE held_for IS NOT NULL;

-- Which document was shown by whom, as hashes with a key that is not in this database: one person,
-- one Verified player. The hash of name and birth date is a hint for staff, and goes with its person;
-- that of the document stays for a year.
CREATE TABLE mahjic.document_hashes (
    document_hash bytea PRIMARY KEY CHECK (octet_length(document_hash) = 32),
    person_hash   bytea CHECK (octet_length(person_hash) = 32),
    enrollment_id text COLLATE "C" REFERENCES mahjic.enrollments ON DELETE SET NULL,
    kept_until    timestamptz
);
CREATE INDEX document_hashes_by_enrollment ON mahjic.document_hashes (enrollment_id);
CREATE INDEX document_hashes_by_person ON mahjic.document_hashes (person_hash);

CREATE TABLE mahjic.subscriptions (
    subscription_id text COLLATE "C" PRIMARY KEY,
    enrollment_id   text COLLATE "C" NOT NULL REFERENCES mahjic.enrollments ON DELETE CASCADE,
    status          text NOT NULL,
    renews          boolean NOT NULL,
    period_end      timestamptz NOT NULL
);
CREATE INDEX subscriptions_by_enrollment ON mahjic.subscriptions (enrollment_id);

-- What was paid. Once its person is forgotten only amount, date and Stripe's ids are left, which the
-- law on accounts asks for.
CREATE TABLE mahjic.payments (
    invoice_id      text COLLATE "C" PRIMARY KEY,
    enrollment_id   text COLLATE "C" REFERENCES mahjic.enrollments ON DELETE SET NULL,
    subscription_id text COLLATE "C" NOT NULL,
    amount_cents    bigint NOT NULL,
    currency        text NOT NULL,
    paid_at         timestamptz NOT NULL,
    period_end      timestamptz NOT NULL,
    refunded_cents  bigint NOT NULL,
    dispute         text NOT NULL CHECK (dispute IN ('none', 'open', 'lost'))
);
CREATE INDEX payments_by_enrollment ON mahjic.payments (enrollment_id);
CREATE INDEX payments_by_time ON mahjic.payments (paid_at);

-- What Stripe says has happened: what kind of thing, and to what. Everything else is asked for.
CREATE TABLE mahjic.stripe_events (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id    text COLLATE "C" NOT NULL UNIQUE,
    type        text NOT NULL,
    object_id   text,
    received_at timestamptz NOT NULL,
    due_at      timestamptz NOT NULL,
    tries       integer NOT NULL DEFAULT 0,
    done_at     timestamptz,
    outcome     text
);
CREATE INDEX stripe_events_due ON mahjic.stripe_events (due_at, number) WHERE done_at IS NULL;
CREATE INDEX stripe_events_done ON mahjic.stripe_events (done_at) WHERE done_at IS NOT NULL;

-- Players whose verification was settled here. `next_at` is when time alone may change something.
-- What ended with `ended_until` is not brought back by a clock that is put back.
CREATE TABLE mahjic.verification_watch (
    player_id   text COLLATE "C" PRIMARY KEY REFERENCES mahjic.players,
    is_verified boolean NOT NULL,
    until       timestamptz,
    is_in_grace boolean NOT NULL,
    next_at     timestamptz,
    ended_until timestamptz
);
CREATE INDEX verification_watch_next ON mahjic.verification_watch (next_at) WHERE next_at IS NOT NULL;

-- Whoever the operator verified before anybody could pay stays Verified.
INSERT INTO mahjic.verification_decisions (player_id, decision, decided_at)
SELECT player_id, 'grant', now() FROM mahjic.players WHERE is_verified;
INSERT INTO mahjic.verification_watch (player_id, is_verified, is_in_grace)
SELECT player_id, true, false FROM mahjic.players WHERE is_verified;

-- Players about whom something changed, so that who is Verified is settled again.
CREATE TABLE mahjic.verification_doubts (
    player_id text COLLATE "C" PRIMARY KEY REFERENCES mahjic.players
);

CREATE TABLE mahjic.verification_place (
    is_only       boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- How far it is known who was merged, parted or forgotten.
    people_seq    bigint NOT NULL,
    -- The last day on which Stripe was asked for everything that is open.
    reconciled_on date,
    -- Since when Stripe gives no answer.
    away_since    timestamptz
);
INSERT INTO mahjic.verification_place (people_seq)
SELECT COALESCE(max(seq), 0) FROM mahjic.people_changes;

-- For all rooms: which ids have been made Verified, and not ended since. A merged one counts for whom
-- it is read as.
CREATE VIEW mahjic.verified_players AS
SELECT player_id FROM mahjic.players WHERE is_verified;
