"""What the templates of the first page call."""

from datetime import timedelta

from django import template

from archiv.dashboard.plots import LinePlot, Sparkline
from jobs import display
from jobs import text as text_of

register = template.Library()


@register.inclusion_tag("admin/dashboard/line_plot.html")
def line_plot(plot: LinePlot) -> dict[str, LinePlot]:
    """Draw lines over time."""
    return {"plot": plot}


@register.inclusion_tag("admin/dashboard/sparkline.html")
def sparkline(plot: Sparkline) -> dict[str, Sparkline]:
    """Draw a small plot within a line of text, and say beside it what it shows."""
    return {"plot": plot}


@register.inclusion_tag("admin/dashboard/share_bar.html")
def share_bar(share: float, due: float) -> dict[str, float]:
    """Draw the share that somebody had beside the one that is theirs, both from 0 to 1."""
    return {"share": 100 * share, "due": 100 * due}


@register.filter
def as_seconds(value: float | timedelta | str | None) -> str:
    """Return a duration in words; of what is not known, a dash."""
    if value is None or isinstance(value, str):
        return display.NOTHING
    return display.show_seconds(value.total_seconds() if isinstance(value, timedelta) else value)


@register.filter
def as_size(value: int | str | None) -> str:
    """Return a number of bytes in words; of what is not known, a dash."""
    return display.NOTHING if value is None or isinstance(value, str) else display.show_size(value)


@register.filter
def blank_numbers(text: str) -> str:
    """Return the first line of a message with its numbers blanked, as kinds of errors are told apart."""
    return text_of.blank_numbers(display.failure_line(text, 120))
