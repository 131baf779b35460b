"""Tenants, their members and capabilities, and the scope that keeps them apart."""
