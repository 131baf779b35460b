"""The first page: is archiv well, who waits, what failed and why. It counts nothing itself."""
