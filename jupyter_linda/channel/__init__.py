"""Server and worker talk: calls over pipes, and `ports.Live` across them."""
