import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.contrib.postgres.operations import BtreeGinExtension, TrigramExtension, UnaccentExtension
from django.db import migrations, models

from jobs.rls import role, tenant_foreign_key, tenant_table

SIGNATURE = "archiv_search(tsquery[], text[], integer[], boolean[], tsquery, uuid[], date, date, integer)"

# `unaccent(text)` looks its dictionary up in the search path, so PostgreSQL only calls it stable; with the
# dictionary named it depends on its argument alone.
WORDS_SQL = """
CREATE FUNCTION archiv_search_fold(words text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(public.unaccent('public.unaccent'::regdictionary, words));

-- The plain words keep their places, which phrases need; the forms of the text only say that they occur.
CREATE FUNCTION archiv_search_vector(title text, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN setweight(to_tsvector('pg_catalog.simple', title), 'A')
        || to_tsvector('pg_catalog.simple', content)
        || strip(to_tsvector('pg_catalog.german', content))
        || strip(to_tsvector('pg_catalog.english', content))
        || setweight(to_tsvector('pg_catalog.german', title), 'A')
        || setweight(to_tsvector('pg_catalog.english', title), 'A');

-- What each word of a query is looked for as: itself and its stems.
CREATE FUNCTION archiv_search_forms(words text[]) RETURNS TABLE (word text, folded text, stems text[])
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT given.word, archiv_search_fold(given.word),
           ts_lexize('pg_catalog.german_stem', archiv_search_fold(given.word))
               || ts_lexize('pg_catalog.english_stem', archiv_search_fold(given.word))
    FROM unnest(words) AS given(word);
END;
"""

WORDS_REVERSE_SQL = """
DROP FUNCTION archiv_search_forms(text[]);
DROP FUNCTION archiv_search_vector(text, text);
DROP FUNCTION archiv_search_fold(text);
"""

# The operators of full-text and trigram search are not leakproof, so under a policy they cannot use an index:
# the search runs as archiv_search, whose policy hides nothing, and filters by tenant itself, before all else.
#
# A query is clauses that must all hold. Clause i holds if `queries[i]` matches, or if a pattern j with
# `pattern_clauses[j] = i` is (where negated: is not) in the content. The statement is put together from numbers
# only, and planned with the values of each call, so that it uses the indexes whichever clauses there are.
SEARCH_SQL = f"""
CREATE FUNCTION archiv_search_statement(clauses integer, pattern_clauses integer[], pattern_negated boolean[])
    RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT 'SELECT entry.document_id, coalesce(ts_rank(entry.vector, $3, 1), 0) AS rank'
        || ' FROM public.documents_searchentry AS entry'
        || ' WHERE entry.tenant_id = public.archiv_tenant()'
        || coalesce(string_agg(
               format(' AND (entry.vector @@ $1[%s]%s)', clause.number, (
                   SELECT string_agg(
                       format(' OR entry.content %s $2[%s]',
                              CASE WHEN pattern_negated[place.number] THEN 'NOT LIKE' ELSE 'LIKE' END,
                              place.number),
                       '' ORDER BY place.number)
                   FROM generate_subscripts(pattern_clauses, 1) AS place(number)
                   WHERE pattern_clauses[place.number] = clause.number
               )), '' ORDER BY clause.number), '')
        || ' AND entry.document_id <> ALL ($4)'
        || ' AND ($5 IS NULL OR entry.issued_at >= $5) AND ($6 IS NULL OR entry.issued_at <= $6)'
        || ' ORDER BY rank DESC, entry.issued_at DESC NULLS LAST, entry.id DESC LIMIT $7'
    FROM generate_series(1, clauses) AS clause(number);
END;

CREATE FUNCTION archiv_search(
    queries tsquery[], patterns text[], pattern_clauses integer[], pattern_negated boolean[], ranked tsquery,
    without uuid[], issued_from date, issued_to date, most integer
) RETURNS TABLE (document_id uuid, rank real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
    SET jit = off
AS $body$
BEGIN
    RETURN QUERY EXECUTE archiv_search_statement(cardinality(queries), pattern_clauses, pattern_negated)
        USING queries, patterns, ranked, without, issued_from, issued_to, most;
END
$body$;

GRANT USAGE, CREATE ON SCHEMA public TO {role("search")};
GRANT SELECT ON documents_searchentry TO {role("search")};
CREATE POLICY search_rows ON documents_searchentry FOR SELECT TO {role("search")} USING (true);
REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {role("app")};
ALTER FUNCTION {SIGNATURE} OWNER TO {role("search")};
"""

SEARCH_REVERSE_SQL = f"""
DROP FUNCTION {SIGNATURE};
DROP POLICY search_rows ON documents_searchentry;
REVOKE ALL ON documents_searchentry FROM {role("search")};
REVOKE USAGE, CREATE ON SCHEMA public FROM {role("search")};
DROP FUNCTION archiv_search_statement(integer, integer[], boolean[]);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0001_initial"),
    ]

    operations = [
        BtreeGinExtension(),
        TrigramExtension(),
        UnaccentExtension(),
        migrations.RunSQL(WORDS_SQL, WORDS_REVERSE_SQL),
        migrations.CreateModel(
            name="SearchEntry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("content", models.TextField(verbose_name="content")),
                ("vector", django.contrib.postgres.search.SearchVectorField(verbose_name="words")),
                ("issued_at", models.DateField(blank=True, null=True, verbose_name="issued date")),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="documents.document",
                        verbose_name="document",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "search entry",
                "verbose_name_plural": "search entries",
            },
        ),
        migrations.AddIndex(
            model_name="searchentry",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False, fields=["tenant", "vector"], name="documents_searchentry_words"
            ),
        ),
        migrations.AddIndex(
            model_name="searchentry",
            index=django.contrib.postgres.indexes.GinIndex(
                fastupdate=False,
                fields=["tenant", "content"],
                name="documents_searchentry_parts",
                opclasses=["uuid_ops", "gin_trgm_ops"],
            ),
        ),
        migrations.AddConstraint(
            model_name="searchentry",
            constraint=models.UniqueConstraint(
                fields=("tenant", "document"), name="documents_searchentry_document"
            ),
        ),
        tenant_foreign_key("documents_searchentry", "document_id", "documents_document"),
        tenant_table("documents_searchentry"),
        migrations.RunSQL(SEARCH_SQL, SEARCH_REVERSE_SQL),
    ]
