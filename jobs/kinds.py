"""Kinds of errors: failed jobs of one cause, as a worker counted them last."""

from dataclasses import dataclass

from django.db.models.functions import Left

from jobs.models import ErrorGroup, Job

_ERROR_START = 160


@dataclass(frozen=True)
class Group:
    """Failed jobs of one cause, with the words of the newest."""

    group: ErrorGroup
    words: str


def read_groups(limit: int) -> list[Group]:
    """Return the causes that failed last, as far as jobs of them are still failed, most jobs first.

    Needs a scope that sees the jobs of all tenants.
    """
    groups = list(ErrorGroup.objects.filter(jobs__gt=0).order_by("-last_at")[:limit])
    newest = Job.objects.filter(id__in=[group.newest_job for group in groups])
    words = dict(newest.annotate(start=Left("error_message", _ERROR_START)).values_list("id", "start"))
    groups.sort(key=lambda group: (group.jobs, group.last_at), reverse=True)
    return [Group(group, words.get(group.newest_job, "")) for group in groups]
