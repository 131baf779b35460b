"""The web application for a WSGI server such as granian."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from archiv import embedded
from archiv.startup import refuse_unbound_roles

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.settings")
embedded.ensure_for_entry_point()
application = get_wsgi_application()
refuse_unbound_roles()
# What lives as long as the process is not looked through again by each full collection: that took 90 ms of
# somebody's request. The addresses bring what is loaded last.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
