-- Sheets that were uploaded at the desk of a source and not sent yet: their cells, and what was read
-- in them, as JSON. They are drafts like typed nights, and go with the people in them; `night` says
-- in short what the sheet holds.
ALTER TABLE mahjic.night_drafts ADD COLUMN sheet text COLLATE "C";
ALTER TABLE mahjic.night_drafts ADD CHECK (state <> 'sent' OR sheet IS NULL);

-- No samples of what is erased stay in the statistics (0010 says more).
ALTER TABLE mahjic.night_drafts ALTER COLUMN sheet SET STATISTICS 0;
