"""Runs that were recorded, played again: bug reports as tests."""
