"""What she changed, with how it was before; and the way back."""
