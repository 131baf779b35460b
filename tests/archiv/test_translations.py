"""The German of the pages: complete, compiled, and with the same blanks to fill in."""

import ast
import gettext
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib import admin
from django.utils.translation import override
from django.utils.translation.template import templatize

from documents import errors as documents_errors
from documents.reading import errors as reading_errors
from documents.services.changes import (
    _NOT_ACTIVE,
    BEING_PURGED,
    HELD,
    IN_TRASH,
    NOT_IN_TRASH,
    NOT_THERE,
    RETAINED,
)
from jobs.display import in_language
from jobs.engine.store import operators
from jobs.failure_words import known_texts
from jobs.wording import WordedError
from tenants import errors as tenants_errors
from tenants.proof_errors import ProofError

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


#: Errors that no page shows: they are met by commands and jobs, the API, or in uploads.
NOT_ON_PAGES = (
    tenants_errors.NotAnOrder, tenants_errors.DuplicateKey, tenants_errors.FieldsMissing,
    tenants_errors.UnknownFields, tenants_errors.ActionMismatch, tenants_errors.WrongTenant,
    tenants_errors.OrderExpired, ProofError,
    documents_errors.UploadRefused, documents_errors.ExportRefused, documents_errors.VaultError,
    documents_errors.LabelNotFound, documents_errors.LabelNameTaken, documents_errors.BadLabelName,
    documents_errors.TooManyLabels, documents_errors.BadFiling, documents_errors.RuleNotFound,
    documents_errors.BadRule, documents_errors.TooManyRules, documents_errors.BadNamingSettings,
    documents_errors.WorkflowNotFound, documents_errors.BadWorkflowDefinition,
)  # fmt: skip
#: Services whose refusals are shown on pages, sentence by sentence.
SHOWN_SERVICES = (
    *(f"tenants/services/{name}.py" for name in ("wipes", "wipe_orders", "members", "retention", "closing")),
    *(f"documents/services/{name}.py" for name in ("changes", "trash", "holds", "purge", "retention")),
    "documents/erasers.py",
    "tenants/selectors.py",
)


def shown_errors(base: type[WordedError]) -> Iterator[type[WordedError]]:
    for error in base.__subclasses__():
        if not issubclass(error, NOT_ON_PAGES):
            yield error
        yield from shown_errors(error)


def test_every_error_that_a_page_shows_has_its_german() -> None:
    errors = [
        error
        for base in (tenants_errors.TenantsError, documents_errors.DocumentsError)
        for error in shown_errors(base)
        if error.__module__.endswith("errors") and error is not tenants_errors.OrderRefused
    ]
    assert len(errors) > 25
    german = read_source()
    assert {error for error in errors if not all(german.get((error.__doc__ or "").strip(), [""]))} == set()


def test_every_sentence_of_a_refusal_that_a_page_shows_has_its_german_and_its_values_apart() -> None:
    german, found = read_source(), 0
    for path in SHOWN_SERVICES:
        tree = ast.parse((Path(settings.BASE_DIR) / path).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args):
                continue
            first = node.exc.args[0]
            if "create_tenant" in ast.unparse(first) or "must be kept until" in ast.unparse(first):
                continue  # met by commands and jobs
            assert not isinstance(first, ast.JoinedStr), f"{path}: {ast.unparse(first)}"
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found += 1
                assert all(german.get(first.value, [""])), f"{path}: {first.value}"
    assert found > 10
    for template in (*_NOT_ACTIVE.values(), NOT_THERE, BEING_PURGED, HELD, RETAINED, IN_TRASH, NOT_IN_TRASH):
        assert all(german.get(template, [""])), template


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


def reasons_of_reading() -> set[str]:
    """Return the words with which the modules that read files say what is wrong with one."""
    found: set[str] = set()
    for path in (Path(settings.BASE_DIR) / "documents" / "reading").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Unreadable":
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def test_every_failure_that_is_told_in_words_has_its_german() -> None:
    german = read_source()
    texts = known_texts()
    assert len(texts) > 30
    assert [text for text in texts if not all(german.get(text, [""]))] == []
    reasons = reasons_of_reading()
    assert len(reasons) > 5
    assert reasons - set(texts) == set()


def test_stored_failures_are_said_in_the_language_of_the_page() -> None:
    unreadable = str(reading_errors.Unreadable("the PDF is broken, and could not be repaired"))
    stored = [
        str(reading_errors.NeedsPassword()),
        unreadable,
        str(reading_errors.ReaderCrashed(None, "it fell silent")),
        *(str(reading_errors.LimitExceeded(which, 12)) for which in reading_errors.LimitExceeded.WORDS),
    ]
    with override("de"):
        said = [in_language(text) for text in stored]
        assert said[1] == "Die Datei ist nicht lesbar: das PDF ist defekt und nicht zu reparieren"
        assert "mehr als 12 Seiten (Grenze pages)" in in_language(
            str(reading_errors.LimitExceeded("pages", 12))
        )
        assert in_language(f"{unreadable}\nmore lines") == f"{said[1]}\nmore lines"
        assert in_language("KeyError: 'it is empty 100%'") == "KeyError: 'it is empty 100%'"
    assert [text for text in said if re.search(r"\b(the|file|would|more|it)\b", text)] == []
    with override("en"):
        assert in_language(unreadable) == unreadable
