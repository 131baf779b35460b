"""What stands in the tables, as figures that two databases have in common only if the rows are the same."""

from collections.abc import Callable
from typing import Any

import psycopg
from psycopg import sql

from archiv.backup.manifest import TableState

Tell = Callable[[int, int | None], None]
# Rows as text must not depend on who asks.
_FORMS = """
    SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres';
    SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL statement_timeout = 0;
    SET LOCAL archiv.operator = 'on'
"""
_TABLES_SQL = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1
"""
# 60 bits of each row's MD5, summed: against accidents, and the same in whatever order the rows come.
_STATE_SQL = """
    SELECT count(*), coalesce(sum(('x' || left(md5(rows::text), 15))::bit(60)::bigint::numeric), 0)::text
    FROM {table} AS rows
"""


def measure_tables(connection: psycopg.Connection[Any], tell: Tell) -> dict[str, TableState]:
    """Return the state of every table, in the snapshot of the open transaction, as the tables' owner."""
    for statement in _FORMS.split(";"):
        connection.execute(statement)
    names = [row[0] for row in connection.execute(_TABLES_SQL).fetchall()]
    states = {}
    for done, name in enumerate(names):
        tell(done, len(names))
        row = connection.execute(sql.SQL(_STATE_SQL).format(table=sql.Identifier(name))).fetchone()
        assert row is not None, "an aggregate gives a row"
        states[name] = TableState(*row)
    tell(len(names), len(names))
    return states
