#!/usr/bin/env python
"""The command line of archiv: starts the database at hand where none is set, then runs one command."""

import os
import sys


def main() -> None:
    """Run the command named on the command line with the settings of archiv."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.settings")
    from archiv import embedded

    # "postgres" manages the server itself, and asking for help must not start one.
    if sys.argv[1:2] not in ([], ["postgres"], ["help"], ["version"]) and "--help" not in sys.argv:
        embedded.ensure_for_entry_point()
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from archiv.trouble import explain

    try:
        execute_from_command_line(sys.argv)
    except DatabaseError as error:
        if "--traceback" in sys.argv or (words := explain(error)) is None:
            raise
        sys.exit(f"manage.py: {words}")


if __name__ == "__main__":
    main()
