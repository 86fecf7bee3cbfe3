"""What Linda can do: each module is a family of tools and exports `TOOLS`."""
