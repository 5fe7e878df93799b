"""The CPU time, s, of a step of MuJoCo: a block on four feet under a swinging force, MuJoCo's own contact. Needs only its wheel.

python benchmarks/mujoco_step.py
"""

import math
import sys
import time

try:
    import mujoco
except ImportError:
    sys.exit("mujoco is not installed: left out (pip install mujoco, or --peers PYTHON of an environment that has it)")

DT, STEPS, REPEATS = 1e-3, 2000, 3
CONTACT = 'friction="0.8 0 0" condim="3" solref="0.02 1" solimp="0.95 0.95 1e-3"'
FEET = "".join(
    f'<geom type="sphere" size="1e-3" pos="{x} {y} 1e-3" {CONTACT}/>' for x in (-0.25, 0.25) for y in (-0.25, 0.25)
)
BLOCK = f"""<mujoco><option timestep="{DT}" gravity="0 0 -9.81" cone="elliptic" integrator="implicitfast" iterations="100"
tolerance="1e-12"/><worldbody><geom type="plane" size="50 50 1" {CONTACT}/><body><joint type="slide" axis="1 0 0"/>
<joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 0 1"/>
<inertial pos="0 0 0" mass="1" diaginertia="0.04 0.04 0.04"/>{FEET}</body></worldbody></mujoco>"""


def step() -> float:
    """Mean CPU time, s, over a run from rest, after half a second under the weight."""
    model = mujoco.MjModel.from_xml_string(BLOCK)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(0.5 / DT))
    start = time.process_time()
    for number in range(STEPS):
        data.qfrc_applied[0] = 8.0 * math.cos((number + 0.5) * DT)
        mujoco.mj_step(model, data)
    return (time.process_time() - start) / STEPS


if __name__ == "__main__":
    print(min(step() for _ in range(REPEATS)))
