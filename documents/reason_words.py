"""The reasons for and against a date, in words for people."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_Words = str | Promise

#: By the codes of `documents.dates`; a code without words is shown as it is.
REASON_WORDS: Mapping[str, _Words] = {
    "stated": _("stated by the file itself"),
    "kind.issued": _("labelled as the date of issue"),
    "kind.document": _("stands with the name of the paper"),
    "kind.dated": _("labelled as a date"),
    "kind.place": _("stands with a town, as in letters"),
    "kind.created": _("day on which it was made"),
    "kind.unlabelled": _("without a label"),
    "kind.contract": _("date of a contract"),
    "kind.as_of": _("as of that day"),
    "kind.received": _("day of receipt"),
    "kind.order": _("date of an order"),
    "kind.delivery": _("date of delivery"),
    "kind.service": _("date of the service"),
    "kind.payment": _("date of a payment"),
    "kind.booking": _("date of a booking"),
    "kind.pickup": _("date of pick-up"),
    "kind.period": _("part of a period"),
    "kind.appointment": _("an appointment"),
    "kind.row": _("in a row of a table"),
    "kind.reference": _("date of another paper"),
    "kind.other": _("labelled as something else"),
    "kind.due": _("due date of a payment"),
    "kind.birth": _("a birthday"),
    "kind.valid": _("a validity"),
    "kind.term": _("beginning or end of a term"),
    "kind.print": _("time of printing"),
    "kind.version": _("a version"),
    "kind.cited": _("date of something cited"),
    "kind.promotion": _("date of an offer to customers"),
    "kind.search": _("range of a search"),
    "kind.number": _("a number, no date"),
    "alone_on_line": _("alone on its line"),
    "after_town": _("after a town"),
    "bare_in_text": _("bare numbers among words"),
    "short_year_in_text": _("a year of two digits among words"),
    "month_only": _("a month without a day"),
    "label_above": _("the label stands above"),
    "head_of_document": _("at the head of the first page"),
    "later_page": _("on a later page"),
    "mentioned_again": _("mentioned again"),
    "filename": _("in the name of the file"),
    "filename_not_believed": _("in the name of the file, which does not count first"),
    "written.repaired": _("misread signs were put right"),
    "written.short_year": _("a year of two digits"),
    "written.bare": _("bare numbers"),
    "written.hyphens": _("hyphens, as in numbers of articles"),
    "written.range_end": _("the end of a span"),
    "written.month_first": _("the month before the day"),
}
