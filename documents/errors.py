"""What can go wrong with documents. The docstring is the message unless a better one is given.

DocumentsError
├── UploadRefused
│   ├── EmptyFile
│   ├── NotAPlainFile
│   ├── StillBeingWritten
│   └── FileUnreadable
├── DocumentNotFound
├── DocumentKept
├── NotAllChanged
├── EditRefused
│   ├── BadTitle
│   ├── BadIssuedDate
│   ├── DocumentInTrash
│   └── DocumentChanged
├── UnknownRetentionClass
├── BadRetentionClass
├── LabelNotFound
├── UnknownLabel
├── LabelNameTaken
├── BadLabelName
├── TooManyLabels
├── BadFiling
├── RuleNotFound
├── BadRule
├── TooManyRules
├── BadNamingSettings
│   └── BadTitleTemplate
├── WorkflowNotFound
├── BadWorkflowDefinition
├── ExportRefused
├── SearchError
│   ├── SearchUnreachable
│   └── SearchRejected
└── VaultError
    ├── VaultFull
    ├── PathTaken
    ├── UnsafePath
    ├── FileMissing
    └── FileDamaged
"""

from collections.abc import Mapping

from jobs.wording import WordedError


class DocumentsError(WordedError):
    """Something is wrong with a document."""


class UploadRefused(DocumentsError):
    """The file cannot be taken in."""


class EmptyFile(UploadRefused):
    """The file is empty: there is nothing to archive. Was it still being written?"""


class NotAPlainFile(UploadRefused):
    """Only plain files are taken in: no links, pipes, sockets or devices."""


class StillBeingWritten(UploadRefused):
    """The file was changed while it was read: wait until it is complete, and try again."""


class FileUnreadable(UploadRefused):
    """The file cannot be read."""


class DocumentNotFound(DocumentsError):
    """The tenant has no such document."""


class DocumentKept(DocumentsError):
    """The document must be kept."""


class NotAllChanged(DocumentsError):
    """Nothing was changed, because some of the documents cannot be."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__()
        #: Why, by the id of each document that is in the way.
        self.reasons = dict(reasons)


class EditRefused(DocumentsError):
    """The document cannot be changed like this."""


class BadTitle(EditRefused):
    """A title like this cannot be."""


class BadIssuedDate(EditRefused):
    """A paper cannot have been issued on this day."""


class DocumentInTrash(EditRefused):
    """The document lies in the trash: restore it, then change it."""


class DocumentChanged(EditRefused):
    """The document was changed meanwhile, by somebody else or by its analysis: look at it again first."""


class UnknownRetentionClass(DocumentsError):
    """The tenant has no such retention class."""


class BadRetentionClass(DocumentsError):
    """The retention class cannot be made like this."""


class LabelNotFound(DocumentsError):
    """The tenant has no such label."""


class UnknownLabel(DocumentsError):
    """A label that was named is not there: make it first."""


class LabelNameTaken(DocumentsError):
    """The tenant has a label of this kind and name already: names differ in more than case."""


class BadLabelName(DocumentsError):
    """A label cannot be named like this."""


class TooManyLabels(DocumentsError):
    """The tenant has as many labels of this kind as there may be: merge or delete some."""


class BadFiling(DocumentsError):
    """Documents cannot be filed like this."""


class RuleNotFound(DocumentsError):
    """The tenant has no such rule."""


class BadRule(DocumentsError):
    """There can be no rule like this."""


class TooManyRules(DocumentsError):
    """The tenant has as many rules as there may be: put words of one label into one rule."""


class BadNamingSettings(DocumentsError):
    """The settings for dates and titles cannot be used."""


class BadTitleTemplate(BadNamingSettings):
    """The template for titles cannot be used."""


class WorkflowNotFound(DocumentsError):
    """The tenant has no such workflow."""


class BadWorkflowDefinition(DocumentsError):
    """There can be no workflow like this."""


class ExportRefused(DocumentsError):
    """Nothing can be exported to this place."""


class VaultError(DocumentsError):
    """The vault could not be read or written."""


class VaultFull(VaultError):
    """There is no room left in the vault: nothing was stored. Make room and try again."""


class PathTaken(VaultError):
    """There is a file at this path already; what lies in the vault is never replaced."""


class UnsafePath(VaultError):
    """The path does not stay within the vault."""


class FileMissing(VaultError):
    """The file is not in the vault."""


class FileDamaged(VaultError):
    """The bytes in the vault are not those that were stored."""


class SearchError(DocumentsError):
    """The search cannot answer now."""


class SearchUnreachable(SearchError):
    """The search is not reachable: its engine does not answer. Try again in a while."""


class SearchRejected(SearchError):
    """The engine of the search did not take what it was asked."""
