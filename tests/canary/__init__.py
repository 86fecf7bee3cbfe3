"""Canary values in frames, files and notebooks: none may be in any byte that leaves above its level."""
