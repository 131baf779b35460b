"""Fill a folder with the samples; look first whether they are there already."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path

from archiv.samples.catalogue import RECIPES
from archiv.samples.model import Sample

MANIFEST = "manifest.json"
_MAKERS = ("reportlab", "pypdfium2", "pillow", "numpy", "img2pdf", "pikepdf")


def make_samples(
    folder: Path, *, on_progress: Callable[[int, int, Sample], None] | None = None
) -> tuple[Sample, ...]:
    """Write every sample below `folder`, one folder a tenant, and return them in the order of their import.

    Files that are there as the manifest says are left alone, so a second call only reads them. A change of
    this package or of a library that draws makes all of them anew. `on_progress` gets done, of, sample.
    """
    folder.mkdir(parents=True, exist_ok=True)
    recipe = _fingerprint()
    known = _known(folder, recipe)
    hashes: dict[str, str] = {}
    for done, entry in enumerate(RECIPES, start=1):
        path = entry.sample.path_in(folder)
        key = path.relative_to(folder).as_posix()
        if not path.is_file() or known.get(key) != _hash(path.read_bytes()):
            path.parent.mkdir(exist_ok=True)
            _write(path, entry.make())
        hashes[key] = _hash(path.read_bytes())
        if on_progress is not None:
            on_progress(done, len(RECIPES), entry.sample)
    if hashes != known:
        manifest = {"recipe": recipe, "files": hashes}
        _write(folder / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False).encode())
    return tuple(entry.sample for entry in RECIPES)


def _known(folder: Path, recipe: str) -> Mapping[str, str]:
    """The hashes of the manifest, or none when it is missing, cut, or of another recipe."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(manifest, dict) or manifest.get("recipe") != recipe:
        return {}
    files = manifest.get("files")
    return files if isinstance(files, dict) else {}


def _fingerprint() -> str:
    """Changes with each line of this package and each version of what draws the files."""
    digest = hashlib.sha256()
    for name in _MAKERS:
        digest.update(f"{name}=={metadata.version(name)}\n".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Replace the file at once: two demos may fill one folder at the same time."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".making-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).chmod(0o644)
    Path(name).replace(path)
