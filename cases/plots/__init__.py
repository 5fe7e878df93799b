"""Pictures of the cases, one module each, named after its case."""
