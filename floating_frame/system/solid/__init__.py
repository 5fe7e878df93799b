"""Elastic solids in space: nodal positions and a floating frame, contact with the ground at the nodes of a face."""
