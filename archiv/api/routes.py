"""Routes that say which capability they need. There is no other way to make one."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpRequest
from ninja import Router, Status

from archiv.api.callers import access_of
from archiv.api.headers import IDEMPOTENCY_KEY, Header
from tenants.capabilities import CAPABILITIES

View = TypeVar("View", bound=Callable[..., Any])

#: For the few routes that need no capability: signing in, a signed link.
PUBLIC = "public"
#: For what everybody may know of themselves.
SIGNED_IN = "signed-in"
#: Where the schema names the capability of a route.
MARK = "x-capability"


#: One for all resources: methods of one address may be in different modules.
ROUTER = Router()


class Routes:
    """The routes of one resource."""

    def __init__(self, tag: str) -> None:
        self._tag = tag

    def add(
        self,
        method: str,
        path: str,
        *,
        capability: str,
        response: Any,
        extra: Mapping[str, Any] | None = None,
        headers: Sequence[Header] = (),
    ) -> Callable[[View], View]:
        """Have the decorated view answer `method` at `path` to whoever holds `capability`.

        Its name is the id of the operation, its docstring the description. `response` is the shape of the
        answer, or `{status: shape}` for another status than 200. `headers` are those it reads, besides the
        Idempotency-Key that every POST of somebody known takes.
        """
        if capability not in (*CAPABILITIES, PUBLIC, SIGNED_IN):
            raise ValueError(f"{capability!r} is no capability.")

        (status,) = response if isinstance(response, dict) else (None,)

        def decorate(view: View) -> View:
            @wraps(view)
            def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                if capability not in (PUBLIC, SIGNED_IN):
                    access_of(request).require(capability)
                result = view(request, *args, **kwargs)
                return result if status is None else Status(status, result)

            lines = (view.__doc__ or "").strip().split("\n", 1)
            name: str = view.__name__
            options: dict[str, Any] = {"auth": None} if capability == PUBLIC else {}
            read = [IDEMPOTENCY_KEY] if method == "POST" and capability != PUBLIC else []
            ROUTER.add_api_operation(
                path,
                [method],
                guarded,
                response=response,
                tags=[self._tag],
                operation_id=name,
                summary=lines[0].rstrip("."),
                description=(view.__doc__ or "").strip(),
                openapi_extra={MARK: capability, "parameters": [*read, *headers], **(extra or {})},
                **options,
            )
            return view

        return decorate
