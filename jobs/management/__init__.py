"""Commands of the queue."""
