-- One folding of names for what is found and for what is asked: small letters, without accents, with
-- a plain letter for each that Unicode doesn't take apart, and with one apostrophe for all.

CREATE FUNCTION mahjic.folded_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT replace(replace(replace(replace(
        -- Large ones too: not every database has them small.
        translate(
            lower(regexp_replace(
                normalize(translate(name, '´', ''''), NFKD),
                '[\u0300-\u036f\u200b-\u200d\u2060\ufeff]', '', 'g'
            )),
            'ŁłØøĐđÐðĦħıŦŧŊŋĸƏəƁɓƊɗƉɖƓɠƘƙƳƴƆɔƐɛƗɨɄʉƵƶɃƀǤǥȻȼɆɇɈɉɌɍɎɏȺⱥȽƚⱢɫƑƒςẞÆŒÞ`ʹʻʼʽˈ‘’‛′׳ꞌ·',
            'llooddddhhittnnkeebbddddggkkyyooeeiiuuzzbbggcceejjrryyaallllffσßæœþ'''''''''''''''''''''''''''
        ),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
$$;

-- A name as one line, to be looked for in any part of it: O’Neil is `oneil`.
CREATE FUNCTION mahjic.name_line(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        replace(mahjic.folded_name(name), '''', ''),
        '[\s!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u2029\u2030-\u205e\u3000-\u3003\u3008-\u3011\u3014-\u301f\u30fb]+',
        ' ', 'g'
    ))
$$;

DROP INDEX mahjic.people_by_name_words;

-- The words of a name: O’Neil is found as `oneil`, and as `neil`.
CREATE OR REPLACE FUNCTION mahjic.name_words(name text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_remove(
        string_to_array(mahjic.name_line(name), ' ')
        || CASE WHEN strpos(mahjic.folded_name(name), '''') > 0
            THEN string_to_array(
                mahjic.name_line(replace(mahjic.folded_name(name), '''', ' ')), ' '
            )
        END,
        ''
    )
$$;

CREATE INDEX people_by_name_words ON mahjic.people
    USING gin (array_to_tsvector(mahjic.name_words(name)))
    WHERE NOT is_private AND nickname IS NULL AND name IS NOT NULL;
