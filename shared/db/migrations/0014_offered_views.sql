-- What other rooms read of the tables of ingest and of the sources, beside mahjic.public_players: the
-- tables can change behind these views. What nobody else needs (addresses, nicknames, prints, limits)
-- is in none of them. Whoever changes the type of a column makes the views of it anew.

CREATE VIEW mahjic.recorded_sessions AS
SELECT session_id, source, session_date, status, fact_seq, place_seq, submitted_at, corrects,
    corrected_by, ended_fact_seq, end_reason
FROM mahjic.submissions;

CREATE VIEW mahjic.recorded_rounds AS
SELECT session_id, round_no FROM mahjic.round_prints;

CREATE VIEW mahjic.recorded_seats AS
SELECT player_id, session_id, session_date FROM mahjic.seats;

-- Each id for itself: whoever is merged, or has a private member, is hidden by public_players.
CREATE VIEW mahjic.shown_people AS
SELECT player_id, name, NOT is_private AND nickname IS NULL AS is_public FROM mahjic.people;

-- As whom each id is read. Few are merged, so few chains are followed.
CREATE VIEW mahjic.read_players AS
SELECT player_id,
    CASE WHEN merged_into IS NULL THEN player_id ELSE mahjic.survivor(player_id) END AS survivor_id
FROM mahjic.players;

CREATE VIEW mahjic.listed_sources AS
SELECT slug, name, type, region FROM mahjic.sources;
