"""Settings of archiv: from the environment only, and everything works with nothing set.

`docs/settings.md` explains each variable; `KNOWN_SETTINGS` lists them for the test that holds it to that.
"""

import os
import zoneinfo
from datetime import timedelta
from pathlib import Path

from archiv import embedded_place, secret_key
from archiv.databases import (
    QUEUE_PLANNER,
    Limits,
    database_settings,
    derive_address,
    given_address,
    parse_address,
    run_database_name,
)
from archiv.environment import Environment
from archiv.logs import logging_settings

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment(os.environ)

# --- Places -----------------------------------------------------------------------------------------------
ARCHIV_VAR_ROOT = env.folder(
    "ARCHIV_VAR_ROOT",
    BASE_DIR / "var",
    meaning="Folder of what the system itself makes: database, vault, key.",
)
ARCHIV_VAULT_ROOT = env.folder(
    "ARCHIV_VAULT_ROOT",
    ARCHIV_VAR_ROOT / "vault",
    meaning="Folder of the originals and of what is made from them.",
)
ARCHIV_AUDIT_HEADS = env.folder(
    "ARCHIV_AUDIT_HEADS",
    ARCHIV_VAR_ROOT / "audit-heads",
    meaning="Folder of the signed ends of the audit trails; better on another machine.",
)

# --- Times, in seconds --------------------------------------------------------------------------------------
ARCHIV_LEASE_SECONDS = env.seconds(
    "ARCHIV_LEASE_SECONDS",
    30.0,
    least=2,
    most=3600,
    meaning="How long a claimed job is held without a heartbeat.",
)
ARCHIV_REAPER_SECONDS = env.seconds(
    "ARCHIV_REAPER_SECONDS",
    3.0,
    least=0.05,
    most=3600,
    meaning="Pause between two searches for leases that ended.",
)
ARCHIV_BACKOFF_BASE_SECONDS = env.seconds(
    "ARCHIV_BACKOFF_BASE_SECONDS",
    1.0,
    least=0.001,
    most=3600,
    meaning="Wait before the first retry; it doubles.",
)
ARCHIV_POLL_SECONDS = env.seconds(
    "ARCHIV_POLL_SECONDS", 1.0, least=0.01, most=60, meaning="Longest pause between two looks at the queue."
)
ARCHIV_CHORES_SECONDS = env.seconds(
    "ARCHIV_CHORES_SECONDS",
    60.0,
    least=0.05,
    most=86_400,
    meaning="Pause between two looks whether a daily chore is due.",
)
ARCHIV_CHORES_HOUR = env.number(
    "ARCHIV_CHORES_HOUR", 1, least=0, most=23, meaning="Hour (UTC) from which the chores of a day are due."
)
ARCHIV_CHECK_NIGHTS = env.number(
    "ARCHIV_CHECK_NIGHTS",
    30,
    least=0,
    most=256,
    meaning="Nights in which every file of the vault is hashed once, a share each night. 0: never.",
)
ARCHIV_MAX_RETRIES = env.number(
    "ARCHIV_MAX_RETRIES", 5, least=0, most=100, meaning="Retries of a failing job before it counts as failed."
)

# --- Reading files ------------------------------------------------------------------------------------------
ARCHIV_SANDBOX = env.choice(
    "ARCHIV_SANDBOX",
    "auto",
    ["auto", "bubblewrap", "landlock", "open"],
    meaning="What shuts readers off: bubblewrap, else Landlock; only one of them; or, open, also neither.",
)
ARCHIV_TESSDATA = env.text("ARCHIV_TESSDATA", meaning="Folder of the language data of OCR.")
ARCHIV_OCR_LANGUAGES = env.text(
    "ARCHIV_OCR_LANGUAGES",
    "deu+eng",
    pattern=r"[a-z]{3}(_[a-z]{3,5})?(\+[a-z]{3}(_[a-z]{3,5})?)*",
    meaning="Languages that readers have loaded, as tesseract names them; others cost a moment a document.",
)

# --- For tests ----------------------------------------------------------------------------------------------
ARCHIV_FAILPOINT = env.text(
    "ARCHIV_FAILPOINT",
    pattern=r"[a-z_]+(\.[a-z_]+)*:(kill|stop|raise|sleep)(:[0-9]+)?",
    meaning="Where a test breaks the process: name:action[:count], such as store.moved:kill.",
)
ARCHIV_PROBE = False

# --- Database -----------------------------------------------------------------------------------------------
ARCHIV_ROLE_PREFIX = env.text(
    "ARCHIV_ROLE_PREFIX",
    pattern=r"[a-z_][a-z0-9_]{0,39}",
    meaning="Begins the names of the database roles: they are one set a server, two installations need two.",
)
ARCHIV_POOLED = env.flag(
    "ARCHIV_POOLED", False, meaning="Behind a pooler in transaction mode: no LISTEN, no prepared statements."
)
_database_url = env.text(
    "DATABASE_URL", meaning="Address of the database's owner. Unset: a PostgreSQL in var/."
)
_app_url = env.text("ARCHIV_APP_DATABASE_URL", meaning="Address for archiv_app. Unset: from the owner's.")
_queue_url = env.text(
    "ARCHIV_QUEUE_DATABASE_URL", meaning="Address for archiv_queue. Unset: from the owner's."
)

# The PostgreSQL that came with the packages, where no other is named. Entry points start it, not this module.
ARCHIV_EMBEDDED = None if _database_url else embedded_place.find_place(ARCHIV_VAR_ROOT)
ARCHIV_OWNER_ADDRESS = (
    parse_address(_database_url, name="DATABASE_URL")
    if ARCHIV_EMBEDDED is None
    else ARCHIV_EMBEDDED.owner_address(ARCHIV_ROLE_PREFIX)
)
_app_role, _queue_role = f"{ARCHIV_ROLE_PREFIX}archiv_app", f"{ARCHIV_ROLE_PREFIX}archiv_queue"
ARCHIV_APP_ADDRESS = (
    given_address(_app_url, _app_role, name="ARCHIV_APP_DATABASE_URL")
    if _app_url
    else derive_address(ARCHIV_OWNER_ADDRESS, _app_role)
)
ARCHIV_QUEUE_ADDRESS = (
    given_address(_queue_url, _queue_role, name="ARCHIV_QUEUE_DATABASE_URL")
    if _queue_url
    else derive_address(ARCHIV_OWNER_ADDRESS, _queue_role)
)
_limits = Limits(ARCHIV_LEASE_SECONDS, pooled=ARCHIV_POOLED)
ARCHIV_APP_SESSION = _limits.session
ARCHIV_QUEUE_SESSION = ARCHIV_APP_SESSION | QUEUE_PLANNER
DATABASES = {
    "owner": database_settings(ARCHIV_OWNER_ADDRESS, _limits, application="archiv owner", session={})
    | {"TEST": {"NAME": run_database_name(ARCHIV_OWNER_ADDRESS.database), "DEPENDENCIES": []}},
    "default": database_settings(
        ARCHIV_APP_ADDRESS, _limits, application="archiv app", session=ARCHIV_APP_SESSION
    )
    | {"TEST": {"MIRROR": "owner"}},
    "queue": database_settings(
        ARCHIV_QUEUE_ADDRESS, _limits, application="archiv queue", session=ARCHIV_QUEUE_SESSION, binding=True
    )
    | {"TEST": {"MIRROR": "owner"}},
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Secrets and the web ------------------------------------------------------------------------------------
_secret_key = env.text(
    "SECRET_KEY", meaning="Signs sessions and wipe orders. Unset: a random one, kept in var/."
)
ARCHIV_SECRET_KEY_IS_LOCAL = not _secret_key
SECRET_KEY = _secret_key or secret_key.kept_in(ARCHIV_VAR_ROOT)
SECRET_KEY_FALLBACKS = env.words(
    "SECRET_KEY_FALLBACKS", [], meaning="Former keys whose signatures still count."
)
ARCHIV_WIPE_KEY = env.text(
    "ARCHIV_WIPE_KEY", meaning="Signs wipe orders instead of SECRET_KEY, for whoever signs them elsewhere."
)
ARCHIV_WIPE_APPROVAL = env.flag(
    "ARCHIV_WIPE_APPROVAL", False, meaning="A wipe needs the approval of a second operator."
)

ARCHIV_WEBHOOK_NETWORKS = env.networks(
    "ARCHIV_WEBHOOK_NETWORKS",
    meaning="Networks inside which webhooks of workflows may call, such as 10.1.0.0/16.",
)

ARCHIV_SEARCH_URL = env.text(
    "ARCHIV_SEARCH_URL",
    pattern=r"https?://[^/\s@?#]+(/[^\s?#]*)?",
    meaning="A Quickwit server, such as http://quickwit:7280, that tenants can be moved to by `reindex`.",
)

ARCHIV_API_RATE = env.number(
    "ARCHIV_API_RATE",
    1200,
    least=0,
    most=1_000_000,
    meaning="Requests to the API a minute, of each token and each member. 0: no limit.",
)
DEBUG = env.flag("ARCHIV_DEBUG", False, meaning="Show errors in the browser. Never in production.")
ALLOWED_HOSTS = env.words(
    "ARCHIV_ALLOWED_HOSTS",
    ["localhost", "127.0.0.1", "[::1]"],
    meaning="Names under which the site is reached.",
)
CSRF_TRUSTED_ORIGINS = env.words(
    "ARCHIV_TRUSTED_ORIGINS",
    [],
    meaning="Origins of forms behind a proxy, such as https://archive.example.org.",
)
ARCHIV_HTTPS = env.flag(
    "ARCHIV_HTTPS", False, meaning="Served over HTTPS by a proxy that sets X-Forwarded-Proto: secure cookies."
)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = ARCHIV_HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if ARCHIV_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = ARCHIV_HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ARCHIV_HTTPS else None
# Probes and the scraper speak plain HTTP from inside.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]

ROOT_URLCONF = "archiv.urls"
WSGI_APPLICATION = "archiv.wsgi.application"
INSTALLED_APPS = [
    "archiv",  # first: its `migrate` makes the roles before the tables
    "documents",
    "tenants",
    "jobs",
    "archiv.apps.ArchivAdminConfig",  # Django's admin with a site of our own
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_prometheus",
    "axes",
]
MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "archiv.middleware.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
    "axes.middleware.AxesMiddleware",  # behind these: it answers for a sign-in that was refused for now
    "archiv.api.gate.ApiGate",  # last: around the views of the API alone
]
PROMETHEUS_EXPORT_MIGRATIONS = False  # it would ask the database at every start
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: who is locked out is asked for no password
    "django.contrib.auth.backends.ModelBackend",
]
# Five wrong passwords for one account from one address, and both wait a quarter of an hour together. By the
# pair: nobody locks an operator out from elsewhere, and one person's slips do not lock a whole office out.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "admin/locked_out.html"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
# A working day; and a browser that was closed is signed out.
SESSION_COOKIE_AGE = 10 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Strict"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- Files --------------------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = ARCHIV_VAR_ROOT / "static"
STORAGES = {
    "vault": {
        "BACKEND": "documents.vault.LocalVault",
        "OPTIONS": {"location": ARCHIV_VAULT_ROOT},
    },
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- Language and time --------------------------------------------------------------------------------------
LANGUAGES = [("de", "Deutsch"), ("en", "English")]
LANGUAGE_CODE = env.choice(
    "ARCHIV_LANGUAGE", "en", ["de", "en"], meaning="Language where a browser asks for none."
)
LOCALE_PATHS = [BASE_DIR / "archiv" / "locale"]
FORMAT_MODULE_PATH = ["archiv.formats"]
USE_THOUSAND_SEPARATOR = True
USE_TZ = True
TIME_ZONE = env.choice(
    "ARCHIV_TIME_ZONE",
    "UTC",
    sorted(zoneinfo.available_timezones() | {"UTC"}),
    meaning="Zone of times shown to people; tenants have their own.",
)

# --- Logs ---------------------------------------------------------------------------------------------------
LOGGING = logging_settings(
    env.choice(
        "ARCHIV_LOG_LEVEL",
        "INFO",
        ["DEBUG", "INFO", "WARNING", "ERROR"],
        meaning="Least important event that is logged.",
    )
)

KNOWN_SETTINGS = tuple(env.known.values())
UNKNOWN_SETTINGS = tuple(env.unknown("ARCHIV_"))
