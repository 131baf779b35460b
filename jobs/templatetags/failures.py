"""Failures on pages."""

from django import template

from jobs import failure_words

register = template.Library()


@register.filter
def in_language(text: str) -> str:
    """Return a stored failure in the language of the page."""
    return failure_words.in_language(text)
