from django.db import migrations

# As in the migration before, and one kind more: a part of a word of the title.
CONDITION_SQL = """
CREATE OR REPLACE FUNCTION archiv_search_condition(kind text, negated boolean, number integer) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN negated THEN 'NOT ' ELSE '' END || CASE kind
        WHEN 'words' THEN format('entry.vector @@ ($1[%s])::tsquery', number)
        WHEN 'title' THEN format('entry.title @@ ($1[%s])::tsquery', number)
        WHEN 'parts' THEN
            format('archiv_search_parts(entry.tenant_id, entry.content) @@ ($1[%s])::tsquery', number)
        WHEN 'text' THEN format('entry.content LIKE $1[%s]', number)
        WHEN 'titled' THEN format('split_part(entry.content, ''  '', 1) LIKE $1[%s]', number)
        WHEN 'issued' THEN format('coalesce(entry.issued_at <@ (SELECT ($1[%s])::daterange), false)', number)
        WHEN 'added' THEN format('entry.added_at <@ (SELECT ($1[%s])::tstzrange)', number)
        WHEN 'among' THEN format(
            'entry.document_id IN (SELECT s.id FROM unnest($2, $3) AS s(id, number) WHERE s.number = %s)',
            number)
    END;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0016_searchable_pdfs"),
    ]

    operations = [
        migrations.RunSQL(CONDITION_SQL, migrations.RunSQL.noop),
    ]
