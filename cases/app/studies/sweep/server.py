"""First import of the server of a sweep's processes: no garbage collection, a fifth of the time of imports, which frees nothing.

Forked processes collect again. The server ends with the command that started it, also during its imports.
"""

import ctypes
import gc
import signal
import sys

PR_SET_PDEATHSIG = 1

gc.disable()
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
