"""The HTTP and stream API of the Jupyter server."""
