"""One module a figure: runs, numbers, drawing. Names: author and year of the source, or the subject."""
