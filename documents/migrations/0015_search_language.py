import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import connections, migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from tenants.scope import operator_scope

FORMER = "archiv_search(tsquery[], text[], integer[], boolean[], tsquery, uuid[], date, date, integer)"

# Every word begins with the key of its tenant. The entries of one word, of its beginnings and of its parts are
# then those of one tenant: what others have is never looked through, and nothing grows with it. Two tenants may
# have the same key; the tenant is compared besides, always.
#
# A part of a word is the beginning of one of its ends: those are indexed, cut, and found without looking at a
# text. What does not fit into the megabyte of a vector is left out: from 15,000 different words on.
WORDS_SQL = """
CREATE FUNCTION archiv_search_key(tenant uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN right(tenant::text, 6);

CREATE FUNCTION archiv_search_own(tenant uuid, words tsvector) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(' ' || words::text, ' ''', ' ''' || archiv_search_key(tenant))::tsvector;

-- The plain words keep their places; the forms only say that they occur. The key alone is in every entry.
CREATE FUNCTION archiv_search_words(tenant uuid, title text, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN archiv_search_own(tenant, archiv_search_vector(title, content))
        || array_to_tsvector(ARRAY[archiv_search_key(tenant)]);

-- What cannot meet the limits of a vector, as most texts cannot, is not counted for them: a text of so many bytes
-- has at most so many parts, and `array_to_tsvector` keeps each once.
CREATE FUNCTION archiv_search_parts(tenant uuid, content text) RETURNS tsvector
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

WORDS_REVERSE_SQL = """
DROP FUNCTION archiv_search_parts(uuid, text);
DROP FUNCTION archiv_search_words(uuid, text, text);
DROP FUNCTION archiv_search_own(uuid, tsvector);
DROP FUNCTION archiv_search_key(uuid);
"""

# Searching itself is made anew by migration 0021, once its indexes are there.
SEARCH_SQL = f"""
DROP FUNCTION {FORMER};
DROP FUNCTION archiv_search_statement(integer, integer[], boolean[]);
"""

BATCH_SQL = """
    WITH batch AS (
        SELECT entry.id, document.created_at FROM documents_searchentry AS entry
        JOIN documents_document AS document
            ON document.tenant_id = entry.tenant_id AND document.id = entry.document_id
        WHERE entry.id > %s ORDER BY entry.id LIMIT 500
    ), changed AS (
        UPDATE documents_searchentry AS entry
        SET added_at = batch.created_at,
            title = archiv_search_own(entry.tenant_id, ts_filter(entry.vector, '{a}')),
            vector = archiv_search_own(entry.tenant_id, entry.vector)
                || array_to_tsvector(ARRAY[archiv_search_key(entry.tenant_id)]),
            content = ' ' || entry.content || ' '
        FROM batch WHERE batch.id = entry.id AND entry.added_at IS NULL RETURNING entry.id
    )
    SELECT max(id) FROM batch
"""


def give_the_words_their_key(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write the words of what is there anew, a few hundred documents a transaction."""
    alias = schema_editor.connection.alias
    done = 0
    while True:
        with operator_scope(using=alias), connections[alias].cursor() as cursor:
            cursor.execute(BATCH_SQL, [done])
            (last,) = cursor.fetchone()
        if last is None:
            return
        done = last


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("documents", "0014_title_by_a_workflow"),
    ]

    operations = [
        migrations.RunSQL(WORDS_SQL, WORDS_REVERSE_SQL),
        migrations.AddField(
            model_name="searchentry",
            name="title",
            field=django.contrib.postgres.search.SearchVectorField(
                null=True, verbose_name="words of the title"
            ),
        ),
        migrations.AddField(
            model_name="searchentry",
            name="added_at",
            field=models.DateTimeField(null=True, verbose_name="added"),
        ),
        # Texts and words lie beside the table, so that a search walks through few pages.
        migrations.RunSQL(
            "ALTER TABLE documents_searchentry SET (toast_tuple_target = 128);"
            "ALTER TABLE documents_searchentry ALTER COLUMN title SET STORAGE MAIN;",
            "ALTER TABLE documents_searchentry RESET (toast_tuple_target);",
        ),
        RemoveIndexConcurrently(model_name="searchentry", name="documents_searchentry_words"),
        RemoveIndexConcurrently(model_name="searchentry", name="documents_searchentry_parts"),
        migrations.RunPython(give_the_words_their_key, migrations.RunPython.noop),
        AddIndexConcurrently(
            model_name="searchentry",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False, fields=["vector"], name="documents_searchentry_words"
            ),
        ),
        AddIndexConcurrently(
            model_name="searchentry",
            index=django.contrib.postgres.indexes.GinIndex(
                models.Func(
                    models.F("tenant_id"),
                    models.F("content"),
                    function="archiv_search_parts",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                fastupdate=False,
                name="documents_searchentry_parts",
            ),
        ),
        migrations.RunSQL(
            # Statistics of a function that costs a millisecond a row would cost half a minute.
            "ALTER INDEX documents_searchentry_parts ALTER COLUMN 1 SET STATISTICS 0;",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(SEARCH_SQL, migrations.RunSQL.noop),
    ]
