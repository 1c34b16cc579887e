-- What a source may be shown of the people in its sessions: what it said of them itself.

-- The operator put the session in the place of another one, and may have named people whom the
-- source never did. Nobody can tell any more by whom the earlier corrections were made.
ALTER TABLE mahjic.submissions ADD COLUMN is_by_operator boolean NOT NULL DEFAULT false;

UPDATE mahjic.submissions SET is_by_operator = true WHERE corrects IS NOT NULL;

-- Of whom a source said PRIVATE:, by the id of the address. Whether the player is hidden stands in
-- mahjic.people, whoever said so.
CREATE TABLE mahjic.private_words (
    source    text COLLATE "C" NOT NULL REFERENCES mahjic.sources (slug),
    player_id text COLLATE "C" NOT NULL REFERENCES mahjic.players (player_id),
    PRIMARY KEY (player_id, source)
);
