"""Closed forms for a block thrown in space stand only where it moves as they say."""

import numpy as np
from rows import rows

from cases import block_in_space


@rows(
    "given, way, share, pitch",
    [
        ({"vx0": 1.0}, True, True, False),
        ({"vx0": 1.0, "gravity": 0.0}, True, False, False),  # it flies on
        ({"vx0": 0.0, "mu": 3.0, "height": 1.0}, True, False, False),  # it stands, however high
        ({"vx0": 1.0, "mu": 0.9, "height": 1.0}, False, False, True),
        ({"vx0": 1.0, "mu": 3.0, "height": 0.5}, False, False, False),  # beyond Painlevé's number
    ],
)
def test_exact_values_of_a_thrown_block_stand_where_they_hold(given, way, share, pitch):
    params = block_in_space.Parameters(**given)
    assert (block_in_space.exact(params, np.zeros(1)) is not None) is way
    assert (block_in_space.leading_share(params) is not None) is share
    assert (block_in_space.pitch_acceleration(params) is not None) is pitch
