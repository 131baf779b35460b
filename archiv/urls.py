"""Where each part of the site is."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from archiv import health

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("api/", include("archiv.api.urls")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
]
