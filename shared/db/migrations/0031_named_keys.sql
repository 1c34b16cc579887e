-- What owners see of the keys of their source: what a key is for, which of them made it (none if it was
-- the operator, or they are forgotten), and the last day on which it was used, by UTC.
ALTER TABLE mahjic.api_keys
    ADD COLUMN name text,
    ADD COLUMN is_of_member boolean NOT NULL DEFAULT false,
    ADD COLUMN made_by text COLLATE "C" REFERENCES mahjic.accounts ON DELETE SET NULL,
    ADD COLUMN used_on date;
CREATE INDEX api_keys_by_source ON mahjic.api_keys (source);
CREATE INDEX api_keys_by_maker ON mahjic.api_keys (made_by);
