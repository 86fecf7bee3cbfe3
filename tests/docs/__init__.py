"""The manual says what the code does."""
