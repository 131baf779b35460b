import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

from jobs.rls import role

SIGNATURE = (
    "archiv_search(integer[], text[], boolean[], boolean[], text[], uuid[], integer[],"
    " tsquery, tsquery, text[], tsquery, integer)"
)

# The day by which documents are ordered. A pair of words that follow each other is one number, another one in
# each tenant: phrases are found by it, and what two pairs should share one is told apart by the text.
WORDS_SQL = """
CREATE FUNCTION archiv_search_day(issued date, added timestamptz) RETURNS date
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(issued, (added AT TIME ZONE 'UTC')::date, date '1900-01-01');

CREATE FUNCTION archiv_search_pairs(tenant uuid, content text) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100000
    RETURN (
        SELECT coalesce(
            array_agg(hashtextextended(pair.word || ' ' || pair.next, uuid_hash_extended(tenant, 0))), '{}'
        )
        FROM (SELECT string_to_array(left(content, 3000000), ' ') AS words OFFSET 0) AS split,
             unnest(split.words, split.words[2:]) AS pair(word, next)
        WHERE pair.word <> '' AND pair.next <> ''
    );
"""

WORDS_REVERSE_SQL = """
DROP FUNCTION archiv_search_pairs(uuid, text);
DROP FUNCTION archiv_search_day(date, timestamptz);
"""

# A query is clauses that must all hold; a clause is conditions of which one must. Condition i belongs to clause
# `clauses[i]`, is of a kind, with the value `given[i]`, and may be negated. Those that are `late` need the text
# itself: they are looked at one document after the other, the best first, until enough are found.
#
# The statements are put together from numbers and from the kinds that are named here, and from nothing else,
# since they run as a role that sees all tenants. They are planned with the values of each call.
#
# Each document that is looked at costs a page of its own, since those of all tenants lie mixed. Of a query that
# finds few, all are looked at. Of one that finds more than are wanted, the newest: documents are gone through in
# spans of days from today backwards, as large as the hits so far tell, until enough are found; those whose title
# fits come first, and are gone through before. What a span has is told by the indexes alone, which are put
# together: for the planner a row costs so much that it leaves out none. Beside conditions that have no index
# parts and pairs are `listed`: looked up by their own first, not worked out for each document; words and titles
# are `any` there, since they lead to no document alone.
SEARCH_SQL = f"""
DROP FUNCTION IF EXISTS {SIGNATURE};
DROP FUNCTION IF EXISTS archiv_search_statement(integer[], text[], boolean[], boolean[]);
DROP FUNCTION IF EXISTS archiv_search_clauses(integer[], text[], boolean[], boolean[], boolean);
DROP FUNCTION IF EXISTS archiv_search_condition(text, boolean, integer);

CREATE FUNCTION archiv_search_condition(kind text, negated boolean, number integer) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN negated THEN 'NOT ' ELSE '' END || replace(CASE kind
        WHEN 'words' THEN 'entry.vector @@ ($1[#])::tsquery'
        WHEN 'any words' THEN 'entry.vector @@ ($1[#])::tsquery'
        WHEN 'title' THEN 'entry.title @@ ($1[#])::tsquery'
        WHEN 'any title' THEN 'entry.title @@ ($1[#])::tsquery'
        WHEN 'parts' THEN 'archiv_search_parts(entry.tenant_id, entry.content) @@ ($1[#])::tsquery'
        WHEN 'pairs' THEN 'archiv_search_pairs(entry.tenant_id, entry.content)'
            ' @> archiv_search_pairs(public.archiv_tenant(), $1[#])'
        WHEN 'listed parts' THEN
            'entry.id = ANY (ARRAY(SELECT part.id FROM public.documents_searchentry AS part'
            ' WHERE archiv_search_parts(part.tenant_id, part.content) @@ ($1[#])::tsquery))'
        WHEN 'listed pairs' THEN
            'entry.id = ANY (ARRAY(SELECT part.id FROM public.documents_searchentry AS part'
            ' WHERE archiv_search_pairs(part.tenant_id, part.content)'
            ' @> archiv_search_pairs(public.archiv_tenant(), $1[#])))'
        WHEN 'text' THEN 'entry.content LIKE $1[#]'
        WHEN 'titled' THEN 'split_part(entry.content, ''  '', 1) LIKE $1[#]'
        WHEN 'issued' THEN 'coalesce(entry.issued_at <@ (SELECT ($1[#])::daterange), false)'
        WHEN 'added' THEN 'entry.added_at <@ (SELECT ($1[#])::tstzrange)'
        WHEN 'among' THEN
            'entry.document_id IN (SELECT s.id FROM unnest($2, $3) AS s(id, number) WHERE s.number = #)'
    END, '#', number::text);

-- In PL/pgSQL, which keeps the plans: in SQL they would be made anew by each search.
CREATE FUNCTION archiv_search_clauses(
    clauses integer[], kinds text[], negated boolean[], late boolean[], are_late boolean
) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $body$
BEGIN
    RETURN (
        SELECT coalesce(string_agg(' AND (' || clause.conditions || ')', '' ORDER BY clause.number), '')
        FROM (
            SELECT given.clause AS number, string_agg(
                archiv_search_condition(given.kind, given.negated, given.place::integer), ' OR '
                ORDER BY given.place) AS conditions
            FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS given(clause, kind, negated, late, place)
            WHERE given.late = are_late
            GROUP BY given.clause
        ) AS clause
    );
END
$body$;

-- Whether an index of words leads to the tenant's documents alone, since a clause has nothing but such conditions.
CREATE FUNCTION archiv_search_leads(clauses integer[], kinds text[], negated boolean[], late boolean[])
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $body$
BEGIN
    RETURN (
        SELECT coalesce(bool_or(clause.leads), false) FROM (
            SELECT bool_and(given.kind IN ('words', 'title', 'parts', 'pairs') AND NOT given.negated) AS leads
            FROM unnest($1, $2, $3, $4) AS given(clause, kind, negated, late)
            WHERE NOT given.late GROUP BY given.clause
        ) AS clause
    );
END
$body$;

-- Any $13 + 1 that the indexes find, or 601. The tenant is compared always, by an index only where no other one leads.
CREATE FUNCTION archiv_search_few(early text, title text, leads boolean) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN 'SELECT coalesce(array_agg(few.id), ''{{}}'') FROM ('
        || ' SELECT entry.id FROM public.documents_searchentry AS entry'
        || CASE WHEN leads THEN ' WHERE (entry.tenant_id = (SELECT public.archiv_tenant())) IS TRUE'
                ELSE ' WHERE entry.tenant_id = public.archiv_tenant()' END
        || early || title
        || ' LIMIT greatest($13, 600) + 1) AS few';

-- Where a span of so many documents ends, which begins below a day and an id; nowhere if there are fewer.
CREATE FUNCTION archiv_search_end(above_day date, above_id bigint, documents integer)
    RETURNS TABLE (day date, id bigint) LANGUAGE plpgsql STABLE
    SET enable_bitmapscan = off
    SET max_parallel_workers_per_gather = 0
AS $body$
BEGIN
    RETURN QUERY
    SELECT archiv_search_day(entry.issued_at, entry.added_at), entry.id
    FROM public.documents_searchentry AS entry
    WHERE entry.tenant_id = public.archiv_tenant()
        AND (archiv_search_day(entry.issued_at, entry.added_at), entry.id) < ($1, $2)
    ORDER BY archiv_search_day(entry.issued_at, entry.added_at) DESC, entry.id DESC
    OFFSET $3 LIMIT 1;
END
$body$;

-- The newest $13 of the documents from ($11, $12) to before ($9, $10). The planner is not to see these: of the
-- newest days it knows least, and would take a span for one document, in which parts of words are worked out.
CREATE FUNCTION archiv_search_span(early text, late text, title text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN 'SELECT coalesce(array_agg(newest.id), ''{{}}'') FROM (SELECT entry.id FROM ('
        || ' SELECT entry.* FROM public.documents_searchentry AS entry'
        || ' WHERE entry.tenant_id = public.archiv_tenant()' || early || title
        || ' AND (archiv_search_day(entry.issued_at, entry.added_at), entry.id) < ((SELECT $9), (SELECT $10))'
        || ' AND (archiv_search_day(entry.issued_at, entry.added_at), entry.id) >= ((SELECT $11), (SELECT $12))'
        || ' ORDER BY archiv_search_day(entry.issued_at, entry.added_at) DESC, entry.id DESC'
        || ' OFFSET 0) AS entry WHERE true' || late || ' LIMIT $13) AS newest';

-- How many documents the next span is to have, after one of so many in which `more` were found, `found` of the
-- `wanted` in all: as many as should have the rest, a third added.
CREATE FUNCTION archiv_search_more(documents integer, wanted integer, found integer, more integer)
    RETURNS integer LANGUAGE sql IMMUTABLE
    RETURN least(4.0 * documents, greatest(100.0, 1.3 * documents * (wanted - found) / greatest(more, 1)));

-- The best of the documents $14; of the first 300 their words tell as well.
CREATE FUNCTION archiv_search_best(late text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN
        'SELECT ordered.document_id,'
        || ' (ordered.titled * 0.5::float8 + ordered.fresh + CASE WHEN ordered.place > 300 OR $7 IS NULL THEN 0'
        || '    ELSE coalesce(ts_rank(ordered.vector, $7, 1), 0) * 2'
        || '        + CASE WHEN $6 = ''{{}}'' THEN 0'
        || '              ELSE (split_part(ordered.content, ''  '', 1) LIKE ANY ($6))::integer END * 0.5::float8'
        || '    END)::real AS rank'
        || ' FROM (SELECT entry.*, row_number() OVER () AS place FROM ('
        || '    SELECT entry.*, coalesce((entry.title @@ $4)::integer, 0) * 2'
        || '               + coalesce((entry.title @@ $5)::integer, 0) AS titled,'
        || '           0.5::float8 / (1 + greatest(0, current_date'
        || '               - archiv_search_day(entry.issued_at, entry.added_at)) / 365.0::float8) AS fresh'
        || '    FROM public.documents_searchentry AS entry'
        || '    WHERE (entry.tenant_id = (SELECT public.archiv_tenant())) IS TRUE AND entry.id = ANY ($14)'
        || '    ORDER BY titled DESC, archiv_search_day(entry.issued_at, entry.added_at) DESC, entry.id DESC'
        || '    OFFSET 0) AS entry'
        || ' WHERE true' || late || ' LIMIT $13) AS ordered'
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
    SET cpu_tuple_cost = 1000
    SET max_parallel_workers_per_gather = 0
AS $body$
DECLARE
    wanted CONSTANT integer := greatest(most, 300);
    early CONSTANT text := archiv_search_clauses(clauses, kinds, negated, late, false);
    lately CONSTANT text := archiv_search_clauses(clauses, kinds, negated, late, true);
    titles text[] := '{{}}';
    words text;
    chosen bigint[];
    found bigint[];
    more bigint[];
    title text;
    above_day date;
    above_id bigint;
    from_day date;
    from_id bigint;
    newest bigint[];
    first_day date;
    first_id bigint;
    first CONSTANT integer := wanted + wanted / 2;
    documents integer;
    unread boolean := true;
    is_much boolean := false;
BEGIN
    -- The newest days may tell that there are many, or have enough where no title comes first. Parts and pairs
    -- are looked up once only: that costs more than to read what they lead to, or they lead to few.
    IF title_any IS NULL OR NOT kinds && '{{parts,pairs}}' THEN
        SELECT ends.day, ends.id INTO first_day, first_id
        FROM archiv_search_end('infinity', 0, first) AS ends;
        IF first_day IS NOT NULL THEN
            EXECUTE archiv_search_span(early, lately, '')
                USING given, among, among_numbers, title_all, title_any, title_parts, ranked, most,
                      date 'infinity', 0::bigint, first_day, first_id, wanted
                INTO newest;
            is_much := 8 * cardinality(newest) >= wanted;
            IF title_any IS NULL AND cardinality(newest) >= wanted THEN
                chosen := newest;
                unread := false;
            END IF;
        END IF;
    END IF;
    IF unread AND NOT is_much THEN
        EXECUTE archiv_search_few(early, '', archiv_search_leads(clauses, kinds, negated, late))
            USING given, among, among_numbers, title_all, title_any, title_parts, ranked, most,
                  above_day, above_id, from_day, from_id, wanted
            INTO chosen;
        is_much := cardinality(chosen) > greatest(wanted, 600);
    END IF;
    IF unread AND is_much THEN
        chosen := '{{}}';
        unread := false;
        IF title_any IS NOT NULL THEN
            titles := titles || ' AND entry.title @@ $4'::text;
            IF title_all <> title_any THEN
                titles := titles || ' AND entry.title @@ $5'::text;
            END IF;
        END IF;
        FOREACH title IN ARRAY titles || ''::text LOOP
            words := early;
            found := NULL;
            IF title <> '' THEN
                -- A title that has all that is asked for needs not be looked up by its words as well.
                IF kinds = '{{words}}' AND given[1]::tsquery = title_any THEN
                    words := '';
                END IF;
                EXECUTE archiv_search_few(words, title, true)
                    USING given, among, among_numbers, title_all, title_any, title_parts, ranked, most,
                          above_day, above_id, from_day, from_id, wanted
                    INTO found;
            END IF;
            IF cardinality(found) <= greatest(wanted, 600) THEN
                chosen := chosen || found;
                unread := true;
                EXIT WHEN cardinality(found) >= wanted AND lately = '';
                CONTINUE;
            END IF;
            IF title <> '' OR newest IS NULL THEN
                above_day := 'infinity';
                above_id := 0;
                found := '{{}}';
                documents := wanted + wanted / 4;
            ELSE
                above_day := first_day;
                above_id := first_id;
                found := newest;
                documents := archiv_search_more(first, wanted, cardinality(found), cardinality(found));
            END IF;
            LOOP
                SELECT ends.day, ends.id INTO from_day, from_id
                FROM archiv_search_end(above_day, above_id, documents) AS ends;
                EXECUTE archiv_search_span(words, lately, title)
                    USING given, among, among_numbers, title_all, title_any, title_parts, ranked, most,
                          above_day, above_id, coalesce(from_day, '-infinity'), coalesce(from_id, 0),
                          wanted - cardinality(found)
                    INTO more;
                found := found || more;
                EXIT WHEN from_day IS NULL OR cardinality(found) >= wanted;
                above_day := from_day;
                above_id := from_id;
                documents := archiv_search_more(documents, wanted, cardinality(found), cardinality(more));
            END LOOP;
            chosen := chosen || found;
            EXIT WHEN cardinality(found) >= wanted;
        END LOOP;
    END IF;
    RETURN QUERY EXECUTE archiv_search_best(CASE WHEN unread THEN lately ELSE '' END)
        USING given, among, among_numbers, title_all, title_any, title_parts, ranked, most,
              above_day, above_id, from_day, from_id, wanted, chosen;
END
$body$;

REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {role("app")};
ALTER FUNCTION {SIGNATURE} OWNER TO {role("search")};
"""

SEARCH_REVERSE_SQL = f"""
DROP FUNCTION {SIGNATURE};
DROP FUNCTION archiv_search_best(text);
DROP FUNCTION archiv_search_more(integer, integer, integer, integer);
DROP FUNCTION archiv_search_span(text, text, text);
DROP FUNCTION archiv_search_end(date, bigint, integer);
DROP FUNCTION archiv_search_few(text, text, boolean);
DROP FUNCTION archiv_search_leads(integer[], text[], boolean[], boolean[]);
DROP FUNCTION archiv_search_clauses(integer[], text[], boolean[], boolean[], boolean);
DROP FUNCTION archiv_search_condition(text, boolean, integer);
"""


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("documents", "0020_search_elsewhere"),
    ]

    operations = [
        migrations.RunSQL(WORDS_SQL, WORDS_REVERSE_SQL),
        AddIndexConcurrently(
            model_name="searchentry",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False, fields=["title"], name="documents_searchentry_titles"
            ),
        ),
        AddIndexConcurrently(
            model_name="searchentry",
            index=models.Index(
                models.F("tenant_id"),
                models.Func(
                    models.F("issued_at"),
                    models.F("added_at"),
                    function="archiv_search_day",
                    output_field=models.DateField(),
                ),
                models.F("id"),
                include=("issued_at", "added_at"),
                name="documents_searchentry_days",
            ),
        ),
        AddIndexConcurrently(
            model_name="searchentry",
            index=django.contrib.postgres.indexes.GinIndex(
                models.Func(
                    models.F("tenant_id"),
                    models.F("content"),
                    function="archiv_search_pairs",
                    output_field=ArrayField(models.BigIntegerField()),
                ),
                fastupdate=False,
                name="documents_searchentry_pairs",
            ),
        ),
        migrations.RunSQL(
            # As for the parts: no statistics of what is dear to work out.
            "ALTER INDEX documents_searchentry_pairs ALTER COLUMN 1 SET STATISTICS 0;",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(SEARCH_SQL, SEARCH_REVERSE_SQL),
    ]
