"""The name that version 0.2 had for `floating_frame.frame.kinematics`."""

import warnings

from floating_frame.frame.kinematics import FrameMotion as FrameMotion

warnings.warn("floating_frame.kinematics is now floating_frame.frame.kinematics", DeprecationWarning, stacklevel=2)
