"""How runs of clamped plates fail by name, and their loads, laws and moving ground."""

import numpy as np
import pytest
from ff_examples import plate, rough
from problems import assembled

import floating_frame as ff
from floating_frame.loads.followers import Couple, FollowerTraction
from friction import Coulomb, Foundation


def clamped(frame, *, body=None, scheme="sdirk2", dt=2e-3, t_end=0.1, foundation=None, **given):
    return assembled(body or plate(), t_end, dt, scheme, foundation=foundation or rough(), frame=frame, **given)


def test_a_clamp_that_crushes_its_plate_fails_by_name_with_what_was_computed():
    frame = ff.Clamped("left", ("y",), {"x": lambda t: 400.0 * t})
    with pytest.raises(ff.StepFailure, match=r"InvertedElement|NotPositiveDefinite") as caught:
        ff.simulate(clamped(frame, t_end=0.2))
    data = caught.value.trajectory
    assert data.attrs["complete"] == 0
    assert 0.0 < float(data.time[-1]) < 0.2
    assert float(np.abs(data.rigid_residual).max()) < 1e-7


def test_a_clamped_plate_on_a_belt_is_carried_by_it_at_rest_to_the_last_bit():
    """Free to move with the belt it has no reason to slip; held across it, the guide takes μ p A up."""
    carried = Foundation(Coulomb(), 0.3, 98.1, ground_velocity=(0.2, 0.1))
    start = ff.InitialState((0.2, 0.1))
    data = ff.simulate(clamped(ff.Clamped("left", ("x", "y", "angle")), foundation=carried, initial=start))
    assert data.stick.values.all()
    displacement = data.position.values[-1] - data.X.values
    np.testing.assert_allclose(displacement, [[0.02, 0.01]] * data.sizes["node"], rtol=1e-12)
    across = Foundation(Coulomb(), 0.3, 98.1, ground_velocity=(0.0, 0.4))
    stiff = plate(E=2e6)
    more = {"t_end": 1.0, "dt": 1e-2, "scheme": "backward-euler"}
    data = ff.simulate(clamped(ff.Clamped("left"), body=stiff, foundation=across, **more))
    np.testing.assert_allclose(data.clamp_reaction.values[-1], [0.0, -0.3 * 98.1 * 0.08], rtol=1e-3, atol=1e-9)
    assert float(data.work_external[-1]) > 0.5 * 0.4 * 0.3 * 98.1 * 0.08  # the belt's
    assert float(np.abs(data.balance_error).max()) < 1e-9


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.parametrize("free", [("x", "angle"), ()], ids=str)
@pytest.mark.quick("('x', 'angle')-moreau-theta", "()-sdirk2", "()-backward-euler")
def test_loads_that_follow_a_clamped_plate_are_those_of_its_final_shape(free, scheme):
    loads = (FollowerTraction("right", 0.5, 0.5, ff.Ramp(0.05, 1.0)), Couple(0.05, ff.Ramp(0.05, 1.0)))
    data = ff.simulate(clamped(ff.Clamped("left", free), scheme=scheme, loads=loads, dt=4e-3, foundation=rough(0.1)))
    assert np.abs(data.displacement.values).max() > 5e-3
    assert float(np.abs(data.rigid_residual).max()) < 1e-6
    assert float(np.abs(data.balance_error).max()) < 1e-7 * float(data.work_external[-1])
