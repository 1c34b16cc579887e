-- Seats of some sessions can turn out to be another player's. What was sent stays on record and
-- recognizes what is sent again; beside it stands who sits there now.

-- Who was sent for a seat and no longer sits in the session does not sit; who sits there without
-- having been sent is not sent.
ALTER TABLE mahjic.seats
    ADD COLUMN is_sent boolean NOT NULL DEFAULT true,
    ADD COLUMN sits boolean NOT NULL DEFAULT true;

-- Who sits in the sessions whose seats were ever reassigned, with all who had to give a seat away,
-- by the ids of the facts. `fact_seq` is the last fact that did it, from `given` to `taker`. The
-- print is of the whole session, as if it had been sent like that, unless it was.
CREATE TABLE mahjic.reseats (
    session_id    text COLLATE "C" PRIMARY KEY REFERENCES mahjic.submissions (session_id),
    fact_seq      bigint NOT NULL,
    given         text COLLATE "C" NOT NULL,
    taker         text COLLATE "C" NOT NULL,
    seats         jsonb NOT NULL,
    content_print bytea
);
CREATE INDEX reseats_by_content ON mahjic.reseats (content_print);

-- The prints of the rounds in which others sit than were sent.
CREATE TABLE mahjic.reseated_prints (
    session_id   text COLLATE "C" NOT NULL,
    round_no     smallint NOT NULL,
    base_print   bytea NOT NULL,
    points_print bytea,
    PRIMARY KEY (session_id, round_no)
);
CREATE INDEX reseated_prints_by_base ON mahjic.reseated_prints (base_print);

-- Others see who sits there.
CREATE OR REPLACE VIEW mahjic.recorded_seats AS
SELECT player_id, session_id, session_date FROM mahjic.seats WHERE sits;

CREATE VIEW mahjic.reseated_sessions AS
SELECT session_id, fact_seq, seats FROM mahjic.reseats;
