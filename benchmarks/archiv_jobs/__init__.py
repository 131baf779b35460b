"""Job types that benchmarks measure with; installed under `benchmarks.settings` only."""
