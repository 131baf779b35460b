"""Failures on pages."""

from django import template

from jobs import display

register = template.Library()


@register.filter
def in_language(text: str) -> str:
    """Return a stored failure in the language of the page."""
    return display.in_language(text)
