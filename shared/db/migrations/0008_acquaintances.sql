-- Whom each source itself has named in a session on record, by the id of the address or nickname;
-- not whom the operator named in its place. `name` is what the source called them last, for that
-- source and the player alone: it goes when the player is forgotten.
CREATE TABLE mahjic.acquaintances (
    source    text COLLATE "C" NOT NULL,
    player_id text COLLATE "C" NOT NULL,
    name      text,
    PRIMARY KEY (source, player_id)
);

-- Forgetting goes by the player.
CREATE INDEX acquaintances_by_player ON mahjic.acquaintances (player_id);

INSERT INTO mahjic.acquaintances (source, player_id)
SELECT DISTINCT sent.source, seats.player_id
FROM mahjic.seats AS seats
JOIN mahjic.submissions AS sent ON sent.session_id = seats.session_id
WHERE NOT sent.is_by_operator;

-- One name was kept of whichever source came last. It is that of a source only where nobody else
-- can have sent it; else it stays where it is, for the player alone.
WITH one_source AS (
    SELECT seats.player_id, min(sent.source) AS source
    FROM mahjic.people AS people
    JOIN mahjic.seats AS seats ON seats.player_id = people.player_id
    JOIN mahjic.submissions AS sent ON sent.session_id = seats.session_id
    WHERE people.offered_name IS NOT NULL
    GROUP BY seats.player_id
    HAVING count(DISTINCT sent.source) = 1 AND NOT bool_or(sent.is_by_operator)
), moved AS (
    UPDATE mahjic.people SET offered_name = NULL
    FROM one_source WHERE people.player_id = one_source.player_id
)
UPDATE mahjic.acquaintances AS known SET name = people.offered_name
FROM one_source JOIN mahjic.people AS people ON people.player_id = one_source.player_id
WHERE known.source = one_source.source AND known.player_id = one_source.player_id;

-- What was refused because of what other sources hold, by hour. Nothing else tells that somebody
-- asked.
CREATE TABLE mahjic.foreign_refusals (
    source   text COLLATE "C" NOT NULL,
    hour     timestamptz NOT NULL,
    refusals integer NOT NULL,
    PRIMARY KEY (source, hour)
);
