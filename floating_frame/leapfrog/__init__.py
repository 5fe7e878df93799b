"""The explicit scheme: central differences in one compiled loop."""
