"""Handing a tenant's papers over: how files are named, where they go, and what lies beside them.

`documents.services.export` runs it; nothing in here knows models or settings.
"""
