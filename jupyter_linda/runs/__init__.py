"""Runs: the queue, the fence, questions, and the worker's supervision."""
