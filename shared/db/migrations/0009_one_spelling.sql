-- Full-width letters and other forms of the same letters are one address from now on (NFKC). What
-- is on record is brought to that form, so that whoever is on record is still found.

-- Two rows that come to one address may be one person's or not, which a program can't tell: the
-- first keeps the address, the others keep their own spelling, under which nobody is submitted any
-- more. `mahjic status` names them until they are merged.
CREATE TABLE mahjic.alike_addresses (
    player_id text COLLATE "C" PRIMARY KEY REFERENCES mahjic.players (player_id),
    read_as   text COLLATE "C" NOT NULL REFERENCES mahjic.players (player_id)
);

-- Addresses are in small letters already; these are all the capitals that NFKC makes of what has no
-- small form of its own. Any server has them small alike, whatever its locale says.
CREATE TEMPORARY TABLE respelled ON COMMIT DROP AS
WITH not_ascii AS MATERIALIZED (
    SELECT player_id, email FROM mahjic.people WHERE octet_length(email) <> length(email)
), plain AS (
    SELECT player_id, email, normalize(
        translate(
            normalize(email, NFKC),
            'ABCDEFGHIJKLMNOPQRSTUVWXYZÆĦƎƐȢΎΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΫϜ',
            'abcdefghijklmnopqrstuvwxyzæħǝɛȣύαβγδεζηθικλμνξοπρστυφχψωϋϝ'
        ),
        NFKC
    ) COLLATE "C" AS plain
    FROM not_ascii
)
SELECT plain.player_id, plain.plain,
    COALESCE(
        (SELECT known.player_id FROM mahjic.people AS known WHERE known.email = plain.plain),
        min(plain.player_id) OVER (PARTITION BY plain.plain)
    ) AS holder
FROM plain WHERE plain.plain <> plain.email;

INSERT INTO mahjic.alike_addresses (player_id, read_as)
SELECT player_id, holder FROM respelled WHERE player_id <> holder;

UPDATE mahjic.people SET email = respelled.plain
FROM respelled WHERE people.player_id = respelled.player_id AND respelled.player_id = holder;
