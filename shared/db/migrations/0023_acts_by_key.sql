-- What is done with keys of the operator is kept like what staff do, by the id of the key.
ALTER TABLE mahjic.staff_acts
    ADD COLUMN key_id text COLLATE "C",
    ADD CONSTRAINT staff_acts_are_of_one CHECK (staff_id IS NULL OR key_id IS NULL);
