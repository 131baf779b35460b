"""The template that children are forked from: Django and every handler warm, no thread, no connection."""

import django

from jobs.forkserver import serve


def _warm_up() -> None:
    """Import what every job needs; a broken import ends the template, and with it the start of the worker."""
    django.setup()
    from django.db import connections

    from jobs import registry

    registry.autodiscover()
    for wrapper in connections.all(initialized_only=True):
        wrapper.close()


if __name__ == "__main__":
    _warm_up()
    from jobs.engine.child import main

    serve(main)
