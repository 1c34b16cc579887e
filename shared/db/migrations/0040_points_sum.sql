-- Whether the points of a source's league rounds add up to zero; `any` ends the warning about it.
ALTER TABLE mahjic.sources
    ADD COLUMN points_sum text NOT NULL DEFAULT 'zero' CHECK (points_sum IN ('zero', 'any'));

CREATE VIEW mahjic.points_sums AS
SELECT slug, points_sum FROM mahjic.sources;
