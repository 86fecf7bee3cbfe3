"""The notebooks that ship with the product."""
