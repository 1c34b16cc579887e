-- Everyone who ever sat in a session, whatever became of it or of their seat, but for those who
-- left a seat that they were only given.

CREATE VIEW mahjic.once_recorded_seats AS
SELECT player_id, session_id FROM mahjic.seats;
