"""One module a figure: its runs, its numbers, its ink. Names: author and year of the source, or the subject."""
