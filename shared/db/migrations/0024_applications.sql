-- Who wants to become a source. What is `begun` counts only once its address is proved, and is taken
-- away after a day. Whose application it is, the address says: whoever's account has proved it.
CREATE TABLE mahjic.applications (
    application_id text COLLATE "C" PRIMARY KEY,
    number         bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    state          text NOT NULL DEFAULT 'begun'
        CHECK (state IN ('begun', 'sent', 'question', 'approved', 'declined')),
    address        text COLLATE "C" NOT NULL,
    applicant      text NOT NULL,
    organization   text NOT NULL,
    type           text NOT NULL CHECK (type IN ('platform', 'club', 'league')),
    wished_slug    text NOT NULL,
    site           text,
    region         text,
    keeping        text NOT NULL,
    players        integer NOT NULL CHECK (players > 0),
    nights         integer NOT NULL CHECK (nights > 0),
    description    text NOT NULL,
    begun_at       timestamptz NOT NULL,
    sent_at        timestamptz,
    decided_at     timestamptz,
    reason         text,
    source         text COLLATE "C" REFERENCES mahjic.sources (slug),
    CHECK ((state = 'begun') = (sent_at IS NULL)),
    CHECK ((state IN ('approved', 'declined')) = (decided_at IS NOT NULL)),
    CHECK ((state = 'approved') = (source IS NOT NULL))
);
CREATE INDEX applications_by_address ON mahjic.applications (address);
CREATE INDEX applications_begun ON mahjic.applications (begun_at) WHERE state = 'begun';
CREATE INDEX applications_to_decide ON mahjic.applications (number)
    WHERE state IN ('sent', 'question');

CREATE TABLE mahjic.application_questions (
    application_id text COLLATE "C" NOT NULL REFERENCES mahjic.applications ON DELETE CASCADE,
    question_no    smallint NOT NULL,
    question       text NOT NULL,
    asked_at       timestamptz NOT NULL,
    answer         text,
    answered_at    timestamptz,
    PRIMARY KEY (application_id, question_no),
    CHECK ((answer IS NULL) = (answered_at IS NULL))
);

-- What an agent advised, or why it didn't; the one who decides reads it. `advice` is a document
-- whose shape the program checks. Whoever asks for advice holds the row until `asked_until`.
CREATE TABLE mahjic.application_advice (
    application_id text COLLATE "C" PRIMARY KEY
        REFERENCES mahjic.applications ON DELETE CASCADE,
    wanted_at      timestamptz NOT NULL,
    asked_until    timestamptz,
    tries          integer NOT NULL DEFAULT 0,
    settled_at     timestamptz,
    advice         jsonb,
    no_advice      text,
    CHECK ((settled_at IS NULL) = (advice IS NULL AND no_advice IS NULL)),
    CHECK (advice IS NULL OR no_advice IS NULL)
);
CREATE INDEX application_advice_wanted ON mahjic.application_advice (wanted_at)
    WHERE settled_at IS NULL;

-- Advice and decision side by side, by ids: they stay when the application is erased.
CREATE TABLE mahjic.application_reviews (
    number         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id text COLLATE "C" NOT NULL UNIQUE,
    opinion        text CHECK (opinion IN ('looks_fine', 'ask_first', 'looks_wrong')),
    no_advice      text,
    was_asked      boolean NOT NULL,
    decision       text NOT NULL CHECK (decision IN ('approved', 'declined')),
    decided_at     timestamptz NOT NULL
);

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.applications
    ALTER COLUMN address SET STATISTICS 0,
    ALTER COLUMN applicant SET STATISTICS 0,
    ALTER COLUMN organization SET STATISTICS 0,
    ALTER COLUMN wished_slug SET STATISTICS 0,
    ALTER COLUMN site SET STATISTICS 0,
    ALTER COLUMN keeping SET STATISTICS 0,
    ALTER COLUMN description SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0;
ALTER TABLE mahjic.application_questions
    ALTER COLUMN question SET STATISTICS 0,
    ALTER COLUMN answer SET STATISTICS 0;
ALTER TABLE mahjic.application_advice ALTER COLUMN advice SET STATISTICS 0;
