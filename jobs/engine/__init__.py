"""The machinery behind the queue: private to `jobs`."""
