from django.db import migrations

# As in 0017, but parts of words are looked up by their index first, whatever else there is to ask: among the few
# documents of a small tenant the planner would work them out again, some milliseconds each. By the key of the
# tenant in every part, what is found there is its own; the tenant is compared besides, as before.
CONDITION_SQL = """
CREATE OR REPLACE FUNCTION archiv_search_condition(kind text, negated boolean, number integer) RETURNS text
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
"""


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0018_search_parts_faster"),
    ]

    operations = [
        migrations.RunSQL(CONDITION_SQL, migrations.RunSQL.noop),
    ]
