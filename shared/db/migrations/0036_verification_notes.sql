-- Why staff decided something about a Verified player, in words, for as long as its person is not
-- forgotten; also where the decision itself is taken back. Who did it is in the list of acts.
CREATE TABLE mahjic.verification_notes (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    player_id text COLLATE "C" NOT NULL REFERENCES mahjic.players,
    about     text NOT NULL CHECK (about IN ('grant', 'block', 'leave', 'release')),
    words     text NOT NULL,
    noted_at  timestamptz NOT NULL
);
ALTER TABLE mahjic.verification_notes ALTER COLUMN words SET STATISTICS 0;
CREATE INDEX verification_notes_by_player ON mahjic.verification_notes (player_id);
