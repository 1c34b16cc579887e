-- Where the logs are when they are on Kafka; without a row they are the tables of this database.
-- `is_moved` is false while `mahjic kafka init` copies what the tables hold.
CREATE TABLE mahjic.kafka (
    is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    cluster_id text    NOT NULL,
    prefix     text    NOT NULL,
    is_moved   boolean NOT NULL
);
