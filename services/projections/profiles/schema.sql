-- One row for everybody whom a verdict ever named, but Bob. Names, regions and privacy are not
-- here: they are read from mahjic.people when a profile is shown.
CREATE TABLE profiles (
    player_id             text COLLATE "C" PRIMARY KEY,
    rating_centi          bigint  NOT NULL,
    games                 bigint  NOT NULL,
    is_verified           boolean NOT NULL,
    verified_rating_centi bigint  NOT NULL,
    verified_games        bigint  NOT NULL,
    sessions              bigint  NOT NULL,
    last_session_date     date,
    fact_seq              bigint  NOT NULL
) WITH (fillfactor = 80);
