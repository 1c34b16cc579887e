-- Whether the points of a source's league rounds add up to zero; `any` ends the warning about it.
ALTER TABLE mahjic.sources
    ADD COLUMN points_sum text NOT NULL DEFAULT 'zero' CHECK (points_sum IN ('zero', 'any'));
