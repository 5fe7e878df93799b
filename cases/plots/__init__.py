"""Pictures of the cases, one module each, named after its case; `SUBJECTS` in the registry says in which folder."""
