-- Which page in a browser typed into a night last, by a token of that page: what it sends again
-- after its connection was lost is no change by somebody else.
ALTER TABLE mahjic.night_drafts ADD COLUMN page text COLLATE "C" NOT NULL DEFAULT '';
