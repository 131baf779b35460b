from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("tenants", "0005_wipe_pages"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="auditevent",
            index=models.Index(
                condition=models.Q(("object_type", "document")),
                fields=["tenant_id", "object_id", "-sequence"],
                name="tenants_auditevent_document",
            ),
        ),
    ]
