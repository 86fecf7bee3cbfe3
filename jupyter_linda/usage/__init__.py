"""What model calls cost, and the budgets they keep to."""
