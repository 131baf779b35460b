"""The tables of the queue. States of jobs change in `jobs.engine.store` and `jobs.services` only."""

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from jobs.figure_models import ErrorGroup, JobMinute, Operation, TenantHour

__all__ = [
    "DailyChore",
    "ErrorGroup",
    "FailedJob",
    "FailureKind",
    "Job",
    "JobAttempt",
    "JobMinute",
    "JobStatus",
    "Lane",
    "Operation",
    "ProbeEffect",
    "QueueSample",
    "TenantHour",
    "TenantQueue",
    "WorkerProcess",
    "new_worker_name",
]


class JobStatus(models.TextChoices):
    """Where a job stands. Succeeded and failed are final: only a requeue leads out of failed."""

    QUEUED = "queued", _("queued")
    PROCESSING = "processing", _("processing")
    SUCCEEDED = "succeeded", _("succeeded")
    FAILED = "failed", _("failed")


class Lane(models.IntegerChoices):
    """Which queue within the queue a job waits in."""

    URGENT = 0, _("urgent")
    NORMAL = 1, _("normal")
    BULK = 2, _("bulk")
    LATER = 3, _("later")


class FailureKind(models.TextChoices):
    """Why an attempt did not succeed."""

    ERROR = "error", _("error")
    GAVE_UP = "gave_up", _("gave up")
    TIMEOUT = "timeout", _("timeout")
    LIMIT = "limit", _("limit")
    CRASH = "crash", _("crash")
    LEASE_EXPIRED = "lease_expired", _("lease expired")
    TENANT_INACTIVE = "tenant_inactive", _("tenant inactive")
    SUPERSEDED = "superseded", _("superseded")
    CANCELLED = "cancelled", _("cancelled")
    UNKNOWN_TYPE = "unknown_type", _("unknown type")


class Job(models.Model):
    """One piece of work for one tenant. `lease` grows with every claim and is never reset."""

    id = models.BigAutoField(primary_key=True)
    # Nullable so that joins are LEFT and the job of a wiped tenant is still listed: a CHECK forbids null.
    tenant = models.ForeignKey(
        "tenants.Tenant",
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,
        db_index=False,
        related_name="+",
        verbose_name=_("tenant"),
    )
    type = models.CharField(_("type"), max_length=64)
    payload = models.JSONField(_("payload"), default=dict)
    document_id = models.UUIDField(_("document"), null=True)
    status = models.CharField(
        _("status"), max_length=10, choices=JobStatus, default=JobStatus.QUEUED, db_default=JobStatus.QUEUED
    )
    home_lane = models.SmallIntegerField(
        _("home lane"), choices=Lane, default=Lane.NORMAL, db_default=Lane.NORMAL
    )
    lane = models.SmallIntegerField(_("lane"), choices=Lane, default=Lane.NORMAL, db_default=Lane.NORMAL)
    retry_count = models.PositiveIntegerField(_("retries"), default=0, db_default=0)
    max_retries = models.PositiveIntegerField(_("retries allowed"), default=5, db_default=5)
    error_message = models.TextField(_("error"), default="", db_default="", blank=True)
    fingerprint = models.CharField(_("fingerprint"), max_length=64, default="", db_default="", blank=True)
    failure_kind = models.CharField(
        _("kind of failure"), max_length=16, choices=FailureKind, default="", db_default="", blank=True
    )
    next_attempt_at = models.DateTimeField(_("due"), db_default=Now())
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())
    updated_at = models.DateTimeField(_("updated"), db_default=Now())
    lease = models.BigIntegerField(_("lease"), default=0, db_default=0)
    lease_expires_at = models.DateTimeField(_("lease expires"), null=True)
    worker = models.CharField(_("worker"), max_length=100, default="", db_default="", blank=True)
    progress_done = models.PositiveIntegerField(_("done so far"), default=0, db_default=0)
    progress_total = models.PositiveIntegerField(_("to do in all"), default=0, db_default=0)

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        permissions = [
            ("requeue_job", "Can requeue failed jobs"),
            ("cancel_job", "Can cancel jobs"),
        ]
        constraints = [
            models.CheckConstraint(name="jobs_job_tenant_set", condition=Q(tenant__isnull=False)),
            # With the tenant, although no two have a document in common: a row that names another tenant's
            # document must neither be in the way of that tenant's jobs, nor tell that there are some.
            models.UniqueConstraint(
                name="jobs_job_queued_analysis",
                fields=["tenant", "document_id"],
                condition=Q(status="queued", type="analyze-document"),
            ),
            models.UniqueConstraint(
                name="jobs_job_live_purge",
                fields=["tenant", "document_id"],
                condition=Q(status__in=("queued", "processing"), type="purge-document"),
            ),
        ]
        indexes = [
            # The claim orders by exactly these columns and repeats this predicate to the letter.
            models.Index(
                name="jobs_job_ready",
                fields=["tenant", "lane", "next_attempt_at", "id"],
                condition=Q(status="queued", lane__in=(Lane.NORMAL, Lane.BULK)),
            ),
            models.Index(
                name="jobs_job_urgent",
                fields=["next_attempt_at", "id"],
                condition=Q(status="queued", lane=Lane.URGENT),
            ),
            models.Index(
                name="jobs_job_later",
                fields=["next_attempt_at", "id"],
                condition=Q(status="queued", lane=Lane.LATER),
            ),
            # Without lease_expires_at, so that a heartbeat stays a heap-only update.
            models.Index(
                name="jobs_job_running",
                fields=["tenant", "id"],
                condition=Q(status="processing"),
            ),
            models.Index(
                name="jobs_job_failed_kind",
                fields=["fingerprint", "finished_at", "tenant"],
                condition=Q(status="failed"),
            ),
            models.Index(
                name="jobs_job_failed_tenant",
                fields=["tenant", "finished_at", "id"],
                condition=Q(status="failed"),
            ),
            # The list of failed jobs of all tenants, newest failure first.
            models.Index(
                name="jobs_job_failed_newest",
                fields=["finished_at", "id"],
                condition=Q(status="failed"),
            ),
            # Parts of operations that are not done: few rows, among which those of one are looked for.
            models.Index(
                name="jobs_job_parts",
                fields=["id"],
                condition=Q(type="change-documents", status__in=("queued", "processing", "failed")),
            ),
            # The state of a document is read from its latest job.
            models.Index(
                name="jobs_job_document",
                fields=["document_id", "id"],
                condition=Q(document_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.pk}"


class FailedJob(Job):
    """The jobs that failed, for a page of their own in the admin; who may see jobs may see these."""

    class Meta:
        proxy = True
        default_permissions = ()
        verbose_name = _("failed job")
        verbose_name_plural = _("failed jobs")


class JobAttempt(models.Model):
    """One ended attempt at a job, written in the statement that ends it."""

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField(_("tenant"))
    # No constraint in the database: the row is written by the statement that changes the job itself.
    job = models.ForeignKey(
        Job,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="attempts",
        verbose_name=_("job"),
    )
    lease = models.BigIntegerField(_("lease"))
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), db_default=Now())
    outcome = models.CharField(_("outcome"), max_length=16)
    worker = models.CharField(_("worker"), max_length=100, default="", db_default="")
    error = models.TextField(_("error"), default="", db_default="", blank=True)
    traceback = models.TextField(_("traceback"), default="", db_default="", blank=True)

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        constraints = [
            models.UniqueConstraint(name="jobs_jobattempt_lease", fields=["job", "lease"]),
        ]

    def __str__(self) -> str:
        return f"{self.job_id}/{self.lease}: {self.outcome}"


class WorkerProcess(models.Model):
    """One dispatcher that has started and not yet said goodbye."""

    name = models.CharField(_("name"), max_length=100, primary_key=True)
    host = models.CharField(_("host"), max_length=255)
    pid = models.PositiveIntegerField(_("process"))
    slots = models.PositiveIntegerField(_("slots"))
    state = models.CharField(_("state"), max_length=16, default="running", db_default="running")
    version = models.CharField(_("version"), max_length=64, default="", db_default="")
    started_at = models.DateTimeField(_("started"), db_default=Now())
    beat_at = models.DateTimeField(_("last heartbeat"), db_default=Now())

    class Meta:
        verbose_name = _("worker")
        verbose_name_plural = _("workers")

    def __str__(self) -> str:
        return self.name


class TenantQueue(models.Model):
    """What is exceptional about one tenant's queue. No row: weight 1, no cap, open."""

    tenant = models.OneToOneField(
        "tenants.Tenant",
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="+",
        verbose_name=_("tenant"),
    )
    weight = models.FloatField(_("weight"), default=1.0, db_default=1.0)
    max_running = models.PositiveIntegerField(_("jobs at once"), null=True, blank=True)
    paused = models.BooleanField(_("paused"), default=False, db_default=False)
    closed = models.BooleanField(_("closed"), default=False, db_default=False)

    class Meta:
        verbose_name = _("tenant queue")
        verbose_name_plural = _("tenant queues")
        constraints = [
            models.CheckConstraint(
                name="jobs_tenantqueue_weight", condition=Q(weight__gt=0) & Q(weight__lte=1000)
            ),
            models.CheckConstraint(
                name="jobs_tenantqueue_cap",
                condition=Q(max_running__isnull=True) | Q(max_running__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return str(self.tenant_id)


class QueueSample(models.Model):
    """What the queue looked like at one moment: pages and scrapes read this, and never count jobs."""

    id = models.BigAutoField(primary_key=True)
    sampled_at = models.DateTimeField(_("sampled"), db_default=Now())
    #: `{type: {status: jobs}}`
    counts = models.JSONField(_("jobs by type and status"), default=dict)
    #: Whether a figure in `counts` is an estimate.
    approximate = models.BooleanField(_("approximate"), default=False)
    running = models.PositiveIntegerField(_("running"), default=0)
    #: Seconds that the oldest due job has waited; 0 with none due.
    oldest_due_seconds = models.FloatField(_("oldest due, seconds"), default=0.0)
    worker = models.CharField(_("worker"), max_length=100, default="")
    #: `{lane: jobs}`, and who waits most: `[{"tenant": id, "waiting": jobs, "oldest": seconds}]`.
    lanes = models.JSONField(
        _("waiting by lane"), default=dict, db_default=models.Value({}, models.JSONField())
    )
    waiting = models.JSONField(
        _("waiting by tenant"), default=list, db_default=models.Value([], models.JSONField())
    )
    #: `{"types": {type: {"seconds": waited, "is_least": bool}}, "within": seconds}`: what is not named has
    #: waited no longer than `within`, null if all was read. None: of an older worker, or it took too long.
    oldest_by_type = models.JSONField(_("oldest due by type"), null=True)
    #: Of the disk that the vault lies on, whatever else lies there.
    vault_used_bytes = models.BigIntegerField(_("used on the disk of the vault, bytes"), null=True)
    database_bytes = models.BigIntegerField(_("size of the database, bytes"), default=0, db_default=0)
    #: Age of the oldest snapshot, in seconds: what VACUUM cannot clean up since.
    horizon_seconds = models.FloatField(_("oldest snapshot, seconds"), default=0.0, db_default=0.0)

    class Meta:
        verbose_name = _("sample of the queue")
        verbose_name_plural = _("samples of the queue")
        indexes = [models.Index(name="jobs_queuesample_newest", fields=["-sampled_at"])]

    def __str__(self) -> str:
        return f"{self.sampled_at}"


class DailyChore(models.Model):
    """One thing that the installation does once a day, and how it went last. Written by `jobs.chores`."""

    class Outcome(models.TextChoices):
        """How the last run ended; one without an end runs, or its process has died."""

        RUNNING = "running", _("running")
        DONE = "done", _("done")
        ALARM = "alarm", _("something is wrong")
        FAILED = "failed", _("failed")

    name = models.CharField(_("name"), max_length=64, primary_key=True)
    #: The day that the last run stands for, by the database's clock.
    day = models.DateField(_("day"))
    started_at = models.DateTimeField(_("begun"))
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    #: Until then nobody else begins it anew.
    lease_expires_at = models.DateTimeField(_("held until"))
    outcome = models.CharField(_("outcome"), max_length=8, choices=Outcome)
    message = models.CharField(_("message"), max_length=1000, default="", blank=True)

    class Meta:
        verbose_name = _("daily chore")
        verbose_name_plural = _("daily chores")

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome}"


class ProbeEffect(models.Model):
    """A row written by the job type `probe`, which exists under test settings only."""

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    job_id = models.BigIntegerField()
    lease = models.BigIntegerField()
    written_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = _("effect of a probe")
        verbose_name_plural = _("effects of probes")

    def __str__(self) -> str:
        return f"{self.job_id}/{self.lease}"


def new_worker_name(host: str, pid: int) -> str:
    """Return a name for a dispatcher that no other dispatcher has had: `host:pid:random`."""
    return f"{host[:60]}:{pid}:{uuid.uuid4().hex[:8]}"
