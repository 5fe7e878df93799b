"""What several cases share: parameters, bodies, laws, measures."""
