"""House style and marks that figures share."""
