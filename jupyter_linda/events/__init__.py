"""Events in order: the log, and following it."""
