"""One of several processes that do everything to the same few rows: `python -m … SECONDS SEED TENANT`.

Chooses at random among what people do by services and what workers do to jobs. Whatever a service may answer
is fine; anything else, a deadlock above all, ends it with its traceback. Says at last how often it did what.
"""

import json
import os
import random
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import django
from django.db import transaction

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")
django.setup()

from documents.errors import DocumentsError  # noqa: E402  Django first
from documents.models import Document  # noqa: E402
from documents.services.edit import edit_document  # noqa: E402
from documents.services.purge import purge_documents  # noqa: E402
from documents.services.reanalyze import reanalyze_documents  # noqa: E402
from documents.services.trash import restore_documents, trash_documents  # noqa: E402
from jobs.engine.database import open_connection  # noqa: E402
from jobs.engine.store import claims, ends, leases  # noqa: E402
from jobs.engine.store.base import Held, app_connection  # noqa: E402
from jobs.engine.store.claims import Claimed, Terms, Wanted  # noqa: E402
from jobs.models import Job, Lane  # noqa: E402
from jobs.services import cancel_jobs, requeue_jobs  # noqa: E402
from tenants.access import operator_access  # noqa: E402
from tenants.scope import tenant_scope  # noqa: E402


class Contender:
    """Knows one tenant, and does one thing after the other to whatever it has."""

    def __init__(self, tenant_id: uuid.UUID, chance: random.Random) -> None:
        self.tenant_id = tenant_id
        self.access = operator_access(tenant_id)
        self.chance = chance
        self.queue = open_connection("contender")
        self.done: Counter[str] = Counter()

    def documents(self) -> list[uuid.UUID]:
        with tenant_scope(self.tenant_id):
            return list(Document.objects.order_by("?").values_list("id", flat=True)[:3])

    def jobs(self) -> list[int]:
        with tenant_scope(self.tenant_id):
            return list(Job.objects.order_by("?").values_list("id", flat=True)[:4])

    def edit(self) -> None:
        for document_id in self.documents():
            edit_document(
                access=self.access, document_id=document_id, title=f"Paper {self.chance.random():.6f}"
            )

    def trash(self) -> None:
        trash_documents(access=self.access, document_ids=self.documents())

    def restore(self) -> None:
        restore_documents(access=self.access, document_ids=self.documents())

    def purge(self) -> None:
        # One at a time, or there would soon be none left.
        if self.chance.random() < 0.02:
            purge_documents(access=self.access, document_ids=self.documents()[:1])

    def reanalyze(self) -> None:
        reanalyze_documents(tenant_id=self.tenant_id, document_ids=self.documents())

    def cancel(self) -> None:
        with tenant_scope(self.tenant_id):
            cancel_jobs(job_ids=self.jobs_within())

    def requeue(self) -> None:
        with tenant_scope(self.tenant_id):
            requeue_jobs(job_ids=self.jobs_within(), spread_seconds=0)

    def jobs_within(self) -> list[int]:
        return list(Job.objects.order_by("?").values_list("id", flat=True)[:4])

    def work(self) -> None:
        """Claim jobs as a worker would, and let each end in another way, or leave it to the reaper."""
        terms = Terms(f"contender:{os.getpid()}", self.chance.choice([0.01, 5.0]))
        wanted = [Wanted(str(self.tenant_id), int(Lane.NORMAL), 3)]
        taken = claims.claim(self.queue, wanted, terms)
        held = [Held(job.id, job.lease) for job in taken]
        leases.beat(self.queue, held, seconds=5.0)
        for job in taken:
            self.chance.choice([self.finish, self.fail, self.release, self.leave])(job)

    def finish(self, job: Claimed) -> None:
        """As `finishing` does: the job first, then its document."""
        with tenant_scope(self.tenant_id):
            if ends.finish(app_connection(), Held(job.id, job.lease)) and job.document_id:
                Document.objects.select_for_update(no_key=True, of=("self",)).filter(
                    pk=job.document_id
                ).first()

    def fail(self, job: Claimed) -> None:
        again = self.chance.choice(list(ends.Again))
        ends.fail_batch(self.queue, [ends.Failure(job.id, job.lease, "error", "so it goes", again)])

    def release(self, job: Claimed) -> None:
        ends.release(self.queue, [Held(job.id, job.lease)])

    def leave(self, job: Claimed) -> None:
        """Die with the job in hand."""

    def reap(self) -> None:
        expired = ends.find_expired(self.queue, after=None, limit=50)
        ends.reap(self.queue, expired, backoff_base=0.01)

    def run(self, seconds: float) -> None:
        acts: list[Callable[[], None]] = [
            *(self.edit, self.trash, self.restore, self.purge, self.reanalyze, self.cancel, self.requeue),
            *(self.work, self.work, self.reap),
        ]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            act = self.chance.choice(acts)
            with suppress(DocumentsError):
                act()
            self.done[act.__name__] += 1


def main() -> None:
    contender = Contender(uuid.UUID(sys.argv[3]), random.Random(int(sys.argv[2])))
    contender.run(float(sys.argv[1]))
    assert not transaction.get_connection().in_atomic_block
    sys.stdout.write(json.dumps(contender.done))


if __name__ == "__main__":
    main()
