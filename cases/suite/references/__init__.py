"""References of the suite that are formulas or integrations of their own; each function takes a problem and gives its
quantities."""
