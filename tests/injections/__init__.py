"""Orders of strangers in what she reads, against the whole product."""
