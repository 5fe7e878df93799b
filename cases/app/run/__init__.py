"""Running a case: parameters in, files out."""
