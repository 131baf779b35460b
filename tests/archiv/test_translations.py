"""The German of the pages: complete, compiled, and with the same blanks to fill in."""

import ast
import gettext
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib import admin
from django.utils.translation.template import templatize

from jobs.engine.store import operators

CATALOGUE = Path(settings.LOCALE_PATHS[0]) / "de" / "LC_MESSAGES"
APPS = ("archiv", "documents", "tenants", "jobs")
_ENTRY = re.compile(r'^(msgid|msgid_plural|msgstr|msgstr\[\d\]) "(.*)"$|^"(.*)"$')
_BLANK = re.compile(r"%(?:\(\w+\))?[sdr]")
_CALL = re.compile(r"\b(?:gettext|_)\((u?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))")
_FUNCTIONS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext"}


def read_source() -> dict[str, list[str]]:
    """Return the texts of django.po with their German, plural forms included; the header left out."""
    entries: dict[str, list[str]] = {}
    key, german, where = "", [""], ""
    for line in [*(CATALOGUE / "django.po").read_text(encoding="utf-8").splitlines(), 'msgid ""']:
        match = _ENTRY.match(line)
        if not match:
            continue
        keyword, first, more = match.groups()
        where = keyword or where
        text = ast.literal_eval(f'"{first if keyword else more}"')
        if keyword == "msgid":
            if key:
                entries[key] = german
            key, german = text, []
        elif where == "msgid":
            key += text
        elif keyword and where != "msgid_plural":
            german.append(text)
        elif where != "msgid_plural":
            german[-1] += text
    return entries


def shown_files() -> Iterator[Path]:
    """Yield the files whose texts people see on pages: templates, modules of the admin, models it shows."""
    for app in APPS:
        folder = Path(settings.BASE_DIR) / app
        yield from folder.rglob("templates/**/*.html")
        yield from folder.glob("*admin*.py")
        yield from (
            folder / name
            for name in ("apps.py", "display.py", "filters.py", "erasers.py", "wipe_display.py")
            if (folder / name).exists()
        )
    yield from {
        Path(inspect.getfile(model))
        for model in admin.site._registry
        if model.__module__.split(".")[0] in APPS
    }
    yield Path(inspect.getfile(operators))
    yield from (Path(settings.BASE_DIR) / "archiv" / "dashboard").glob("*.py")
    yield Path(settings.BASE_DIR) / "jobs" / "figure_models.py"
    yield Path(settings.BASE_DIR) / "jobs" / "operations.py"


def used_texts() -> Iterator[tuple[str, str]]:
    """Yield each text that these files have translated, and where."""
    for path in shown_files():
        source = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            for call in _CALL.findall(templatize(source)):
                yield ast.literal_eval(call), path.name
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _FUNCTIONS:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield first.value, path.name


def test_every_text_of_the_pages_has_its_german() -> None:
    german = read_source()
    texts = list(used_texts())
    assert len(texts) > 200
    assert {text: path for text, path in texts if not all(german.get(text, [""]))} == {}


def test_the_compiled_catalogue_says_what_its_source_says() -> None:
    with (CATALOGUE / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    differing = {
        text: german
        for text, german in read_source().items()
        if (compiled.gettext(text) if len(german) == 1 else compiled.ngettext(text, text, 1)) != german[0]
    }
    assert differing == {}


def test_german_has_the_blanks_of_the_english() -> None:
    differing = {
        text: forms
        for text, forms in read_source().items()
        if {tuple(sorted(_BLANK.findall(form))) for form in forms} != {tuple(sorted(_BLANK.findall(text)))}
    }
    assert differing == {}


def test_the_words_of_the_glossary_are_used() -> None:
    german = {text: forms[0] for text, forms in read_source().items()}
    assert german["job"] == "Auftrag"
    assert german["tenant"] == "Mandant"
    assert german["Requeue"] == "Erneut einreihen"
    assert not [
        forms for forms in german.values() if re.search(r"\bJobs?\b|\bKunden?\b|\bTags?\b(?!e)", forms)
    ]
