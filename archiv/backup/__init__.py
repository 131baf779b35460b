"""Backup and restore of a whole installation: database, vault, signed ends of the audit trails."""
