"""The free elastic plate: nodal positions and the frame, staggered elastic and rigid passes."""
