"""The web application for a WSGI server such as granian."""

import os

from django.core.wsgi import get_wsgi_application

from archiv import embedded
from archiv.startup import refuse_unbound_roles

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.settings")
embedded.ensure_for_entry_point()
application = get_wsgi_application()
refuse_unbound_roles()
