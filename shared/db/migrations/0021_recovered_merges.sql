-- The log does not say who made a merge, so nobody knows it of merges that are taken over from Kafka.
-- They count like those that people made by themselves: who has made three asks staff.
ALTER TABLE mahjic.own_merges ADD COLUMN is_recovered boolean NOT NULL DEFAULT false;
