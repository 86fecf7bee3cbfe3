"""What is built, installed and removed; and the README's first command."""
