"""A process that imports files in forks of its own: reads one a line, and answers how the fork ended.

Starting Django takes seconds, and a fork that a failpoint kills takes nothing along.
"""

import json
import os
import sys
import uuid
from pathlib import Path

import django
from django.conf import settings


def import_one(tenant: str, path: str, failpoint: str) -> None:
    """Import a file with a failpoint armed."""
    from documents.services.folder import FolderFile, import_file

    settings.ARCHIV_FAILPOINT = failpoint
    import_file(tenant_id=uuid.UUID(tenant), file=FolderFile(Path(path)))


def main() -> None:
    """Serve until standard input ends."""
    django.setup()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            import_one(**json.loads(line))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
