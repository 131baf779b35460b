"""Where the API is."""

from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt

from archiv.api.errors import NoSuchAddress, answer_error
from archiv.api.reference import reference
from archiv.api.site import api


@csrf_exempt
def nothing(request: HttpRequest) -> HttpResponse:
    """Answer in the shape of all errors where there is nothing."""
    answer = answer_error(request, NoSuchAddress())
    assert answer is not None
    return answer


urlpatterns = [
    path("docs", reference, name="api-docs"),
    path("", api.urls),
    re_path(r"^.*$", nothing, name="api-nothing"),
]
