"""django-tasks-db and django-q2: two workers each. `BENCH_PEER` says which."""

import os
import sys
import time

import django
from django.conf import settings
from django.core.management import call_command
from psycopg.conninfo import conninfo_to_dict

PEER = os.environ["BENCH_PEER"]
parts = conninfo_to_dict(os.environ["BENCH_DSN"])
settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": parts["dbname"],
            "USER": parts["user"],
            "HOST": parts.get("host", ""),
            "PORT": parts.get("port", ""),
            "PASSWORD": parts.get("password", ""),
            "CONN_MAX_AGE": None,
        }
    },
    SECRET_KEY="benchmarks",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.contenttypes",
        *({"django-tasks-db": ["django_tasks_db"], "django-q2": ["django_q"]}[PEER]),
    ],
    TASKS={"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}},
    Q_CLUSTER={
        "name": "bench",
        "orm": "default",
        "workers": 2,
        "timeout": 60,
        "retry": 120,
        "poll": 0.2,
        "bulk": 10,
        "save_limit": -1,
    },
    LOGGING_CONFIG=None,
)
django.setup()

import peer_tasks  # noqa: E402  it needs the settings


def main() -> None:
    command, *rest = sys.argv[1:]
    if command == "prepare":
        call_command("migrate", verbosity=0)
    elif command == "load":
        peer_tasks.load(int(rest[0]))
    elif command == "trickle":
        for _ in range(int(rest[0])):
            time.sleep(float(rest[1]))
            peer_tasks.enqueue_note("light", time.time(), float(rest[2]))
    elif PEER == "django-q2":
        print("ready", flush=True)
        call_command("qcluster")
    else:
        print("ready", flush=True)
        call_command("db_worker", interval=0.1, startup_delay=False, reload=False)


main()
