"""What is done once a day about tenants."""

from datetime import date
from pathlib import Path

from django.conf import settings

from jobs.chores import ChoreReport, daily_chore
from tenants.audit_chain import UntrustedHeads
from tenants.audit_store import verify_chains, write_heads


@daily_chore("sign-audit-heads")
def sign_audit_heads(day: date) -> ChoreReport:
    """Verify every audit trail, then sign its end outside the database; nothing if one is damaged."""
    folder = Path(settings.ARCHIV_AUDIT_HEADS)
    try:
        findings = list(verify_chains(folder))
    except UntrustedHeads as error:
        return ChoreReport(f"{error} Look at the newest file in {folder}: nothing was signed.", ok=False)
    if findings:
        first = findings[0]
        words = f"tenant {first.tenant_id}, event {first.sequence}: {first.problem}"
        return ChoreReport(
            f"{len(findings)} audit trails damaged, nothing was signed. The first: {words}", ok=False
        )
    return ChoreReport(f"All audit trails are whole. Signed: {write_heads(folder, day)}")
