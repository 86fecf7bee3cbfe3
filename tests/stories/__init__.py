"""Whole stories on real input."""
