"""Many steps: their ends and lengths, halvings, error control, steps near contact."""
