"""A command that names one tenant shows and changes nothing of another."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands

from tests.archiv.test_docs import OURS
from tests.archiv.two_tenants import Filled, Known, empty_vault, fill
from tests.factories import UserFactory

Calls = Callable[[Filled, Known, Path], list[list[str]]]

#: How each command is called with our tenant, and with what is known of another, or of none. In this order.
CALLS: dict[str, Calls] = {
    "search": lambda ours, known, file: [["kanzlei"], [known.word], [ours.known.word]],
    "trash": lambda ours, known, file: [[known.document], [ours.known.document]],
    "restore": lambda ours, known, file: [[known.trashed], [ours.known.document]],
    "hold": lambda ours, known, file: [
        [known.document],
        [known.document, "--release"],
        [ours.known.document],
        [ours.known.document, "--release"],
    ],
    "purge": lambda ours, known, file: [[known.trashed], [known.document], ["--all"]],
    "retention": lambda ours, known, file: [
        [],
        ["--class", f"Belege {known.document[:8]}", "--years", "3", "--default"],
        ["--class", f"Belege {known.document[:8]}", "--document", known.document],
    ],
    "naming": lambda ours, known, file: [
        [],
        ["--title-template", "{title} " + known.document[:8], "--date-order", "MDY"],
        ["--preview"],
    ],
    "searchable_pdf": lambda ours, known, file: [[known.document], [ours.known.document]],
    "reindex": lambda ours, known, file: [[], ["--to", "postgresql"]],
    "reanalyze": lambda ours, known, file: [
        ["--document", known.document],
        ["--index-only"],
        ["--only", "titles"],
    ],
    "apply_rules": lambda ours, known, file: [
        ["--dry-run"],
        ["--document", known.document, "--take-back"],
        [],
    ],
    "export_tenant": lambda ours, known, file: [[str(file.parent / "export")]],
    "import_documents": lambda ours, known, file: [[str(file)], [str(file)]],
    "verify_archive": lambda ours, known, file: [[], ["--enqueue"]],
    "add_member": lambda ours, known, file: [[UserFactory.create(username=known.word).username]],
    "suspend_tenant": lambda ours, known, file: [[]],
    "resume_tenant": lambda ours, known, file: [[]],
    "release_retention": lambda ours, known, file: [["--reason", "handed over"]],
    "approve_wipe": lambda ours, known, file: [[]],
    "delete_tenant": lambda ours, known, file: [[], ["--sign", "--yes"], ["--cancel"], ["--reset"]],
}

#: Commands that do not begin with a tenant: their whole argument lists.
OTHER_CALLS: dict[str, Calls] = {
    "create_tenant": lambda ours, known, file: [["Kanzlei neu " + known.word]],
    "requeue": lambda ours, known, file: [["--all", "--tenant", str(ours.tenant.id)], [str(ours.failed)]],
    "cancel": lambda ours, known, file: [[str(ours.queued)]],
}

#: Commands of the whole installation, and what they are about.
INSTALLATION = {
    "backup": "everything, for the installation's keeper",
    "capability_tables": "a page of the docs",
    "demo": "a tenant of its own",
    "doctor": "the installation; of tenants it names those that are paused",
    "migrate": "the database",
    "postgres": "the server at hand",
    "run_operations": "what operators ordered for jobs of all tenants",
    "prune_jobs": "finished jobs of all tenants",
    "queue": "the queues of all tenants",
    "restore_backup": "an empty installation",
    "run_chores": "the whole installation",
    "runworker": "the jobs of all tenants",
    "sandbox_probe": "the readers of all tenants",
    "sweep_vault": "the whole vault",
    "verify_audit": "the trails of all tenants",
}


def said(*arguments: str) -> str:
    """Return everything the command has to say."""
    out, err = StringIO(), StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except CommandError as error:
        err.write(str(error))
    return out.getvalue() + err.getvalue()


def test_every_command_says_whose_it_is() -> None:
    listed = [*CALLS, *OTHER_CALLS, *INSTALLATION]
    assert sorted(listed) == sorted(name for name, app in get_commands().items() if app in OURS)


@pytest.mark.django_db(transaction=True)
def test_no_command_for_one_tenant_shows_or_changes_anything_of_another(tmp_path: Path) -> None:
    empty_vault()
    ours, theirs = fill("quarz"), fill("zimt")
    before, marks = theirs.state(), theirs.marks(beside=ours)
    assert len(marks) > 20
    assert theirs.known.document in marks
    for name, calls in (CALLS | OTHER_CALLS).items():
        answers = []
        for number, known in enumerate((theirs.known, Known.invented())):
            file = tmp_path / str(number) / "paper.txt"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(known.file)
            for arguments in calls(ours, known, file):
                whole = [name, str(ours.tenant.id), *arguments] if name in CALLS else [name, *arguments]
                text = said(*whole)
                shown = {mark for mark in marks if mark in text} - set(arguments)
                assert not {mark for mark in shown if mark not in " ".join(arguments)}, (whole, text)
                if known.document in arguments or known.trashed in arguments or known.word in arguments:
                    answers.append(known.cut_from(text))
            if name == "export_tenant":
                exported = [path for path in file.parent.rglob("*") if path.is_file() and path != file]
                assert len(exported) > 3
                assert not [mark for mark in marks for path in exported if mark.encode() in path.read_bytes()]
            assert theirs.state() == before, f"{name} changed another tenant"
        half = len(answers) // 2
        assert answers[:half] == answers[half:], f"{name} tells what is there from what is not"
    assert ours.state() != before
