-- How far a build is within the verdict on one fact about the past: part `correcting_part` of
-- `correcting_parts` is in its rows, and the next one is not. Both are null between verdicts.
ALTER TABLE mahjic.view_builds
    ADD COLUMN correcting_part integer,
    ADD COLUMN correcting_parts integer,
    ADD CONSTRAINT a_build_corrects_part_by_part CHECK (
        (correcting_part IS NULL) = (correcting_parts IS NULL)
        AND correcting_part BETWEEN 1 AND correcting_parts - 1
    );
