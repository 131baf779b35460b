"""The demo behind `bin/demo`: two tenants, sample files, the real worker, a table and two searches."""
