-- The sessions of a source that no longer count are few among those that do, and are found by day
-- without looking at the others.
CREATE INDEX submissions_ended_by_day
    ON mahjic.submissions (source, status, session_date, fact_seq) WHERE status <> 'accepted';
