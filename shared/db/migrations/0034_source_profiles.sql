-- What the owners of a source say about it on its public page: a page of their own, and a few words.
ALTER TABLE mahjic.sources ADD COLUMN site text, ADD COLUMN about text;

CREATE OR REPLACE VIEW mahjic.listed_sources AS
SELECT slug, name, type, region, invites, site, about FROM mahjic.sources;
