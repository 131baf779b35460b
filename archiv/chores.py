"""What the installation does once a day beside what the apps below say."""

from datetime import date

from jobs.chores import ChoreReport, daily_chore
from jobs.pruning import prune_jobs


@daily_chore("prune-jobs")
def forget_old_jobs(_day: date) -> ChoreReport:
    """Forget jobs that ended long ago."""
    report = prune_jobs()
    return ChoreReport(f"{report.succeeded} succeeded and {report.failed} failed jobs forgotten")
