-- One row for everyone that a verdict ever named, except Bob. Names, regions and privacy are not
-- here: they are read from mahjic.people when a profile is shown. `is_flagged` is what the facts say
-- about this id alone. A player is Verified if any member is flagged. A merged id never is.
CREATE TABLE profiles (
    player_id             text COLLATE "C" PRIMARY KEY,
    rating_centi          bigint  NOT NULL,
    games                 bigint  NOT NULL,
    is_flagged            boolean NOT NULL,
    is_verified           boolean NOT NULL,
    verified_rating_centi bigint  NOT NULL,
    verified_games        bigint  NOT NULL,
    sessions              bigint  NOT NULL,
    mahjongs              bigint  NOT NULL,
    wall_games            bigint  NOT NULL,
    last_session_date     date,
    fact_seq              bigint  NOT NULL
) WITH (fillfactor = 80);
