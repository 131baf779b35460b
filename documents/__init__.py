"""Documents: storing, reading, naming, finding."""
