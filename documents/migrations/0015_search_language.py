import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import connections, migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from jobs.rls import role
from tenants.scope import operator_scope

FORMER = "archiv_search(tsquery[], text[], integer[], boolean[], tsquery, uuid[], date, date, integer)"
SIGNATURE = (
    "archiv_search(integer[], text[], boolean[], boolean[], text[], uuid[], integer[],"
    " tsquery, tsquery, text[], tsquery, integer)"
)

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

# A query is clauses that must all hold; a clause is conditions of which one must. Condition i belongs to clause
# `clauses[i]`, is of a kind, with the value `given[i]`, and may be negated. Those that are `late` need the text
# itself: they are looked at one document after the other, the best first, until enough are found.
#
# The statement is put together from numbers and from the kinds that are named here, and from nothing else, since
# it runs as a role that sees all tenants. It is planned with the values of each call.
#
# Parts of words are looked up by their index first, whatever else there is to ask: among the few documents of a
# small tenant the planner would work them out again, some milliseconds each. By the key of the tenant in every
# part, what is found there is its own; the tenant is compared besides.
SEARCH_SQL = f"""
DROP FUNCTION {FORMER};
DROP FUNCTION archiv_search_statement(integer, integer[], boolean[]);

CREATE FUNCTION archiv_search_condition(kind text, negated boolean, number integer) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN negated THEN 'NOT ' ELSE '' END || CASE kind
        WHEN 'words' THEN format('entry.vector @@ ($1[%s])::tsquery', number)
        WHEN 'title' THEN format('entry.title @@ ($1[%s])::tsquery', number)
        WHEN 'parts' THEN format(
            'entry.id = ANY (ARRAY(SELECT part.id FROM public.documents_searchentry AS part'
            ' WHERE archiv_search_parts(part.tenant_id, part.content) @@ ($1[%s])::tsquery))',
            number)
        WHEN 'text' THEN format('entry.content LIKE $1[%s]', number)
        WHEN 'titled' THEN format('split_part(entry.content, ''  '', 1) LIKE $1[%s]', number)
        WHEN 'issued' THEN format('coalesce(entry.issued_at <@ (SELECT ($1[%s])::daterange), false)', number)
        WHEN 'added' THEN format('entry.added_at <@ (SELECT ($1[%s])::tstzrange)', number)
        WHEN 'among' THEN format(
            'entry.document_id IN (SELECT s.id FROM unnest($2, $3) AS s(id, number) WHERE s.number = %s)',
            number)
    END;

CREATE FUNCTION archiv_search_clauses(
    clauses integer[], kinds text[], negated boolean[], late boolean[], are_late boolean
) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT coalesce(string_agg(' AND (' || clause.conditions || ')', '' ORDER BY clause.number), '')
    FROM (
        SELECT given.clause AS number, string_agg(
            archiv_search_condition(given.kind, given.negated, given.place::integer), ' OR '
            ORDER BY given.place) AS conditions
        FROM unnest(clauses, kinds, negated, late) WITH ORDINALITY
            AS given(clause, kind, negated, late, place)
        WHERE given.late = are_late
        GROUP BY given.clause
    ) AS clause;
END;

CREATE FUNCTION archiv_search_statement(clauses integer[], kinds text[], negated boolean[], late boolean[])
    RETURNS text LANGUAGE sql IMMUTABLE
    RETURN
        'SELECT ordered.document_id,'
        || ' (ordered.titled + ordered.fresh + CASE WHEN ordered.place > 300 THEN 0'
        || '    ELSE coalesce(ts_rank(ordered.vector, $7, 1), 0) * 2'
        || '        + (split_part(ordered.content, ''  '', 1) LIKE ANY ($6))::integer * 0.5'
        || '    END)::real AS rank'
        || ' FROM (SELECT entry.*, row_number() OVER () AS place FROM ('
        || '    SELECT entry.*, coalesce((entry.title @@ $4)::integer, 0)'
        || '               + coalesce((entry.title @@ $5)::integer, 0) * 0.5 AS titled,'
        || '           0.5 / (1 + greatest(0, current_date'
        || '               - coalesce(entry.issued_at, entry.added_at::date)) / 365.0) AS fresh'
        || '    FROM public.documents_searchentry AS entry'
        || '    WHERE entry.tenant_id = public.archiv_tenant()'
        || archiv_search_clauses(clauses, kinds, negated, late, false)
        || '    ORDER BY titled DESC, coalesce(entry.issued_at, entry.added_at::date) DESC, entry.id DESC'
        || '    OFFSET 0) AS entry'
        || ' WHERE true' || archiv_search_clauses(clauses, kinds, negated, late, true)
        || ' LIMIT greatest($8, 300)) AS ordered'
        || ' ORDER BY ordered.place > 300, rank DESC, ordered.place LIMIT $8';

CREATE FUNCTION archiv_search(
    clauses integer[], kinds text[], negated boolean[], late boolean[], given text[],
    among uuid[], among_numbers integer[], title_all tsquery, title_any tsquery, title_parts text[],
    ranked tsquery, most integer
) RETURNS TABLE (document_id uuid, rank real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
    SET jit = off
    SET enable_seqscan = off
AS $body$
BEGIN
    RETURN QUERY EXECUTE archiv_search_statement(clauses, kinds, negated, late)
        USING given, among, among_numbers, title_all, title_any, title_parts, ranked, most;
END
$body$;

REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {role("app")};
ALTER FUNCTION {SIGNATURE} OWNER TO {role("search")};
"""

# How it was before cannot be had back: the words of the entries are other ones. `reindex` writes them anew.
SEARCH_REVERSE_SQL = f"""
DROP FUNCTION {SIGNATURE};
DROP FUNCTION archiv_search_statement(integer[], text[], boolean[], boolean[]);
DROP FUNCTION archiv_search_clauses(integer[], text[], boolean[], boolean[], boolean);
DROP FUNCTION archiv_search_condition(text, boolean, integer);
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
        migrations.RunSQL(SEARCH_SQL, SEARCH_REVERSE_SQL),
    ]
