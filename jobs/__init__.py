"""The queue: jobs, their leases and attempts, and the engine that runs them."""

#: Version of archiv, shown with each worker.
__version__ = "0.1.0"
