"""What the API remembers of a tenant goes with a wipe."""

from django.utils.translation import gettext_noop as _

from tenants.erasure import register_eraser
from tenants.erasure_rows import TableRows
from tenants.models import WipePhase

register_eraser(
    WipePhase.ROWS, TableRows("archiv_keptanswer", _("kept answers of the API"), key="created_at")
)
register_eraser(
    WipePhase.ROWS, TableRows("archiv_ratebucket", _("counted requests to the API"), key="sender")
)
