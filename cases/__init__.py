"""Case definitions, the command line that runs them, and the pictures."""
