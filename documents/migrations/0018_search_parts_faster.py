from django.db import migrations

# The same parts as before. What cannot meet the limits of a vector, as most texts cannot, is not counted for them:
# a text of so many bytes has at most so many parts, and `array_to_tsvector` keeps each once.
PARTS_SQL = """
CREATE OR REPLACE FUNCTION archiv_search_parts(tenant uuid, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100000
    RETURN CASE WHEN octet_length(content) < 50000 THEN (
        SELECT coalesce(array_to_tsvector(array_agg(part.part)), ''::tsvector)
        FROM (
            SELECT own.key || substr(place.word, place.place, 12) AS part
            FROM (SELECT archiv_search_key(tenant) AS key OFFSET 0) AS own,
                 (SELECT split.word, generate_series(1, least(length(split.word), 60) - 2) AS place
                  FROM string_to_table(content, ' ') AS split(word)) AS place
        ) AS part
    ) ELSE (
        SELECT coalesce(array_to_tsvector(array_agg(bounded.part)), ''::tsvector)
        FROM (
            SELECT part.part, sum(octet_length(part.part) + 2) OVER (ORDER BY part.part COLLATE "C") AS bytes
            FROM (
                SELECT DISTINCT archiv_search_key(tenant) || substr(word.word, place.place, 12) AS part
                FROM (
                    SELECT split.word FROM string_to_table(content, ' ') WITH ORDINALITY AS split(word, place)
                    WHERE length(split.word) > 2
                    GROUP BY split.word ORDER BY min(split.place) LIMIT 15000
                ) AS word,
                generate_series(1, least(length(word.word), 60) - 2) AS place(place)
            ) AS part
        ) AS bounded
        WHERE bounded.bytes < 1000000
    ) END;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0017_search_in_titles"),
    ]

    operations = [
        migrations.RunSQL(PARTS_SQL, migrations.RunSQL.noop),
    ]
