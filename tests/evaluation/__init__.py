"""The task bench: its checkers, and its tasks played by scripted models."""
