"""Open notebooks and live kernels of this Jupyter server (server process only)."""
