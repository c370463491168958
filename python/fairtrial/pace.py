"""How fast the machine is at the moment: the CPU time of a little work that is always the same.

Beside other programs (on the other half of a core, on another guest of the host) the same instructions take more CPU time. What
an iteration takes is compared with this, which suffers in the same way."""

from time import thread_time_ns

#: Wall time between two of them at least: they take a hundredth of the time, and as good as none of short iterations.
PACE_EVERY_NS = 10_000_000
#: About 0.1 ms.
_ROUNDS = 2000


def pace_ns() -> int:
    """CPU time of the fixed work. It is interpreted, as the work of an experiment mostly is."""
    total = 0
    before = thread_time_ns()
    for number in range(_ROUNDS):
        total += number * number
    return thread_time_ns() - before
