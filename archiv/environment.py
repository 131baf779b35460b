"""Typed readers of environment variables: nothing set works, and nonsense is refused with a clear message.

Each reader also notes the name it was asked for, so that documentation and checks know them all.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})
_LISTED = 12


@dataclass(frozen=True)
class Setting:
    """One environment variable that archiv reads, and what it means."""

    name: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Environment:
    """The variables of one process. An empty value counts as not set."""

    values: Mapping[str, str]
    known: dict[str, Setting] = field(default_factory=dict)

    def _read(self, name: str, default: object, meaning: str) -> str | None:
        self.known[name] = Setting(name, "" if default is None else str(default), meaning)
        return self.values.get(name, "").strip() or None

    def text(self, name: str, default: str = "", *, meaning: str, pattern: str | None = None) -> str:
        """Return the text of `name`; `pattern` must match all of it."""
        value = self._read(name, default, meaning)
        if value is None:
            return default
        if "\0" in value or (pattern is not None and not re.fullmatch(pattern, value)):
            raise ImproperlyConfigured(f"{name}={value!r} does not have the form {pattern}. {meaning}")
        return value

    def flag(self, name: str, default: bool, *, meaning: str) -> bool:
        """Return a yes or no: 1, true, yes, on, or 0, false, no, off."""
        value = self._read(name, default, meaning)
        if value is None:
            return default
        if value.lower() not in _YES | _NO:
            raise ImproperlyConfigured(f"{name}={value!r} is neither yes nor no: set it to 1 or 0. {meaning}")
        return value.lower() in _YES

    def seconds(self, name: str, default: float, *, least: float, most: float, meaning: str) -> float:
        """Return a number of seconds from `least` to `most`."""
        return self._number(name, default, least, most, meaning, unit="seconds")

    def number(self, name: str, default: int, *, least: int, most: int, meaning: str) -> int:
        """Return a whole number from `least` to `most`."""
        value = self._number(name, default, least, most, meaning, unit="whole number")
        if value != int(value):
            raise ImproperlyConfigured(f"{name}={value} is not a whole number. {meaning}")
        return int(value)

    def _number(
        self, name: str, default: float, least: float, most: float, meaning: str, *, unit: str
    ) -> float:
        value = self._read(name, default, meaning)
        if value is None:
            return default
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise ImproperlyConfigured(
                f"{name}={value!r} is not a number from {least} to {most} ({unit}). {meaning}"
            )
        return number

    def words(self, name: str, default: Sequence[str], *, meaning: str) -> list[str]:
        """Return a list, written with commas."""
        value = self._read(name, ",".join(default), meaning)
        if value is None:
            return list(default)
        return [word.strip() for word in value.split(",") if word.strip()]

    def networks(self, name: str, *, meaning: str) -> list[IPv4Network | IPv6Network]:
        """Return a list of networks, or of single addresses, written with commas."""
        words = self.words(name, [], meaning=meaning)
        try:
            return [ip_network(word) for word in words]
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name}: {error}. Write networks as 10.1.0.0/16. {meaning}"
            ) from error

    def choice(self, name: str, default: str, options: Sequence[str], *, meaning: str) -> str:
        """Return one of `options`, whatever its case."""
        value = self._read(name, default, meaning)
        if value is None:
            return default
        for option in options:
            if option.lower() == value.lower():
                return option
        shown = list(options)
        if len(options) > _LISTED:
            shown = get_close_matches(value, options, n=3) or shown[:3]
            shown.append(f"{len(options) - len(shown)} others")
        raise ImproperlyConfigured(f"{name}={value!r} is none of {', '.join(shown)}. {meaning}")

    def folder(self, name: str, default: Path, *, meaning: str) -> Path:
        """Return an absolute path."""
        value = self._read(name, default, meaning)
        if value is None:
            return default
        path = Path(value).expanduser()
        if not path.is_absolute():
            raise ImproperlyConfigured(f"{name}={value!r} is not an absolute path. {meaning}")
        return path

    def unknown(self, prefix: str) -> list[str]:
        """Return the variables that begin with `prefix` and that nothing has asked for: most often a slip."""
        return sorted(name for name in self.values if name.startswith(prefix) and name not in self.known)
