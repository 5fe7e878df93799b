"""Problems of beams and of bodies in space turned into what does not change in time."""
