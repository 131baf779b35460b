"""Messages in English with their values apart, so that a page can say them in its own language (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wording:
    """A sentence for people: `template` has %(name)s for each of `values`. As text it is English."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template % self.values if self.values else self.template


class WordedError(Exception):
    """Something is wrong.

    The docstring of a class is its message unless a better one is given, as the template of a `Wording`.
    """

    def __init__(self, message: str | None = None, **values: object) -> None:
        wording = Wording(message or (type(self).__doc__ or "").strip(), values)
        self.wordings: tuple[Wording, ...] = (wording,)
        super().__init__(str(wording))
