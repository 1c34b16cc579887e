-- What mail the owner of an account wants beside what is asked for. Without a row the owner has not
-- been here yet, and chose neither this nor the public name.
CREATE TABLE mahjic.mail_choices (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES mahjic.accounts ON DELETE CASCADE,
    wants      text NOT NULL CHECK (wants IN ('nothing', 'summary', 'important')),
    chosen_at  timestamptz NOT NULL
);

-- Everybody with an address as they see themselves, also those whom nobody else sees. Whoever asks
-- here knows who is asking.
CREATE VIEW mahjic.own_players AS
SELECT people.player_id, people.name, COALESCE(people.region, sources.region) AS region
FROM mahjic.people
LEFT JOIN mahjic.players ON players.player_id = people.player_id
LEFT JOIN mahjic.sources ON sources.slug = players.first_source
WHERE people.nickname IS NULL AND players.merged_into IS NULL;
