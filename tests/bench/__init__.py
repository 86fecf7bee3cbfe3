"""Benchmarks: `python -m tests.bench.NAME [--json]`; ratios against a baseline of the same run."""
