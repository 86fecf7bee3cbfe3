"""The task bench: notebook tasks for a model, with checkers, run through a server of its own."""
