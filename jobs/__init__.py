"""The queue: jobs, their leases and attempts, and the engine that runs them."""
