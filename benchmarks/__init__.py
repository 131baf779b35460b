"""Benchmarks: archiv's queue beside its peers. `python benchmarks/queue.py --help`."""
