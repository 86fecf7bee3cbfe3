"""What Linda may do: paths, rules, the gate, grants and the audit."""
