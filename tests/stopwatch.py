"""How much work something is, whatever else the machine is busy with."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(processor_s: float) -> Iterator[None]:
    """Fail when the block takes this thread more of a processor than that.

    Many times what it should take: to tell work that grows with its input from work that grows
    much faster, on any machine.
    """
    began = time.thread_time()
    yield
    took_s = time.thread_time() - began
    assert took_s < processor_s, f"{took_s:.2f} s of a processor"
