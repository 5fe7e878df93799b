"""House style, films, the picture of a sweep, and drawing from saved results."""
