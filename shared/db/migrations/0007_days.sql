-- On which day a session was played, so that the nights of a source and of a player are found
-- without reading facts.

ALTER TABLE mahjic.submissions ADD COLUMN session_date date;
ALTER TABLE mahjic.seats ADD COLUMN session_date date;

CREATE FUNCTION mahjic.told_day(body bytea) RETURNS date LANGUAGE plpgsql STABLE AS $$
DECLARE
    data jsonb;
BEGIN
    data := convert_from(body, 'UTF8')::jsonb -> 'data';
    -- A correction holds the session that takes the place of the other one.
    RETURN COALESCE(data ->> 'session_date', data #>> '{session,session_date}')::date;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END
$$;

-- A fact that cannot be read tells no day; its session stands before all others.
UPDATE mahjic.submissions SET session_date = '-infinity';

UPDATE mahjic.submissions SET session_date = told.session_date
FROM (
    SELECT facts.seq, mahjic.told_day(facts.body) AS session_date
    FROM mahjic.facts AS facts
    JOIN mahjic.submissions AS same ON same.fact_seq = facts.seq
) AS told
WHERE told.seq = submissions.fact_seq AND told.session_date IS NOT NULL;

DROP FUNCTION mahjic.told_day(bytea);

UPDATE mahjic.seats SET session_date = sent.session_date
FROM mahjic.submissions AS sent WHERE sent.session_id = seats.session_id;

ALTER TABLE mahjic.submissions ALTER COLUMN session_date SET NOT NULL;

-- The key leads from a player to a day; one session has one day.
ALTER TABLE mahjic.seats
    DROP CONSTRAINT seats_pkey,
    ADD PRIMARY KEY (player_id, session_date, session_id);

CREATE INDEX submissions_by_day ON mahjic.submissions (source, session_date, fact_seq);
