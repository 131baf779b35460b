"""Figures that pages read instead of counting jobs, and what operators have ordered for many jobs at once."""

import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

#: A sample counts the due jobs of a tenant so far; one more says that there are more.
WAITING_COUNTED = 500


class JobMinute(models.Model):
    """How many attempts ended within a span of time, by type and outcome; added by each worker from memory.

    `span` is 1 minute, or 10 once a sampler has rolled them up; then they are no single worker's.
    """

    class Outcome(models.TextChoices):
        """How attempts ended: failed for good, or to be tried again."""

        SUCCEEDED = "succeeded", _("succeeded")
        FAILED = "failed", _("failed")
        RETRIED = "retried", _("to be tried again")

    id = models.BigAutoField(primary_key=True)
    minute = models.DateTimeField(_("from"))
    span = models.PositiveSmallIntegerField(_("minutes"), default=1, db_default=1)
    type = models.CharField(_("type"), max_length=64)
    outcome = models.CharField(_("outcome"), max_length=10, choices=Outcome)
    worker = models.CharField(_("worker"), max_length=100, default="", db_default="", blank=True)
    attempts = models.PositiveIntegerField(_("attempts"))
    #: Of worker time, in all of them.
    seconds = models.FloatField(_("seconds"))

    class Meta:
        verbose_name = _("minute of the queue")
        verbose_name_plural = _("minutes of the queue")
        constraints = [
            models.UniqueConstraint(
                name="jobs_jobminute_part", fields=["minute", "span", "type", "outcome", "worker"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.minute}: {self.attempts} {self.type} {self.outcome}"


class TenantHour(models.Model):
    """What one tenant's jobs took of the workers within an hour. Numbers only: it outlives the tenant."""

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField(_("tenant"))
    hour = models.DateTimeField(_("hour"))
    attempts = models.PositiveIntegerField(_("attempts"))
    failed = models.PositiveIntegerField(_("failed"))
    seconds = models.FloatField(_("seconds"))

    class Meta:
        verbose_name = _("hour of a tenant")
        verbose_name_plural = _("hours of tenants")
        constraints = [models.UniqueConstraint(name="jobs_tenanthour_one", fields=["hour", "tenant_id"])]

    def __str__(self) -> str:
        return f"{self.tenant_id} {self.hour}"


class ErrorGroup(models.Model):
    """The failed jobs of one cause, counted by the sampler, never by who fails. No text of a tenant."""

    fingerprint = models.CharField(_("fingerprint"), max_length=64, primary_key=True)
    type = models.CharField(_("type"), max_length=64)
    kind = models.CharField(_("kind of failure"), max_length=16)
    #: Failed at this moment, as far as they were counted; 0 once all were requeued.
    jobs = models.PositiveIntegerField(_("jobs"))
    tenants = models.PositiveIntegerField(_("tenants"))
    #: Whether there are more of them than were counted.
    is_more = models.BooleanField(_("more than that"), default=False)
    first_at = models.DateTimeField(_("first"))
    last_at = models.DateTimeField(_("last"))
    newest_job = models.BigIntegerField(_("newest job"))
    counted_at = models.DateTimeField(_("counted"), db_default=Now())

    class Meta:
        verbose_name = _("kind of error")
        verbose_name_plural = _("kinds of errors")

    def __str__(self) -> str:
        return f"{self.type}: {self.jobs} {self.kind}"


class Operation(models.Model):
    """What an operator ordered for many jobs or documents. It runs in parts, and can be stopped.

    `wanted` says what is meant: of a requeue the filters by which jobs are found, of a change what is done to
    each document. `as_of` is the moment it was looked at: what fails or comes later is not swept along.
    """

    class Verb(models.TextChoices):
        """What is done to each: by `run_operations` to jobs, by jobs of their own to documents."""

        REQUEUE = "requeue", _("requeue")
        CHANGE = "change", _("change of documents")

    class State(models.TextChoices):
        """How far it is; what is stopped stays as far as it had come.

        Ended: jobs of it failed for good, and what they were to do is not done. Requeued, they go on.
        """

        RUNNING = "running", _("running")
        STOPPED = "stopped", _("stopped")
        ENDED = "ended", _("ended, not all done")
        DONE = "done", _("done")

    #: Given with the order: the same order twice is one operation.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    verb = models.CharField(_("action"), max_length=10, choices=Verb)
    wanted = models.JSONField(_("filters"))
    as_of = models.DateTimeField(_("as of"))
    #: Who ordered it, as the audit trail names them, and from where.
    actor = models.CharField(_("who"), max_length=100)
    origin = models.CharField(_("from where"), max_length=100, default="", blank=True)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.RUNNING)
    total = models.PositiveIntegerField(_("to do in all"))
    done = models.PositiveIntegerField(_("done"), default=0)
    #: `{reason: how many}`
    skipped = models.JSONField(_("skipped"), default=dict)
    #: Where the next batch begins.
    after_finished_at = models.DateTimeField(_("done up to"), null=True, blank=True)
    after_id = models.BigIntegerField(default=0)
    lease_expires_at = models.DateTimeField(_("held until"), db_default=Now())
    created_at = models.DateTimeField(_("ordered"), db_default=Now())
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("operation")
        verbose_name_plural = _("operations")
        default_permissions = ("view",)
        indexes = [
            models.Index(name="jobs_operation_newest", fields=["-created_at"]),
            models.Index(
                name="jobs_operation_running",
                fields=["lease_expires_at"],
                condition=models.Q(state="running"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verb}: {self.done} of {self.total}"

    @property
    def handled(self) -> int:
        """How many it has come to, those left alone included."""
        return int(self.done + sum(self.skipped.values()))

    @property
    def not_done(self) -> int:
        """How many it has not come to, or failed at: of one that has ended, what is left."""
        return max(0, self.total - self.handled)
