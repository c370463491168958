"""The `memory` instrument: what one extra iteration allocates, by Python's own count and by the system's."""

import os
import tracemalloc
from typing import Any, Callable, Dict

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]


def memory_of(work: Callable[[], Any]) -> Dict[str, Any]:
    """Bytes at the peak and kept at the end, by `tracemalloc`; and the peak resident size of a child that does the work, which
    sees what libraries allocate behind Python's back."""
    summary = traced(work)
    child = in_child(work)
    if isinstance(child, str):
        return {"summary": summary, "absent": f"no peak resident size: {child}"}
    return {"summary": {**summary, "peak_resident_bytes": child}}


def traced(work: Callable[[], Any]) -> Dict[str, int]:
    started = not tracemalloc.is_tracing()
    if started:
        tracemalloc.start()
    try:
        tracemalloc.clear_traces()
        before, _ = tracemalloc.get_traced_memory()
        result = work()
        kept, peak = tracemalloc.get_traced_memory()
        del result
    finally:
        if started:
            tracemalloc.stop()
    return {"peak_bytes": peak - before, "kept_bytes": max(kept - before, 0)}


def threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def in_child(work: Callable[[], Any]) -> Any:
    """The peak resident size of a copy of this process that does the work once, or why it is not known."""
    if resource is None or not hasattr(os, "fork"):
        return "this system makes no copies of processes"
    if threads() > 1:
        return "a process with several threads cannot be copied safely"
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            # Nothing of the parent's is cleaned up, flushed or sent by its copy.
            os._exit(status)
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        return f"the work failed in a copy of the process (status {status})"
    return used.ru_maxrss * 1024
