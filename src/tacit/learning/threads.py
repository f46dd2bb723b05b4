"""Threads: they are woken where there is enough to do.

Threads that wait here sleep (see `tacit.cores`), and to wake one takes a tenth of a
millisecond, while a climb calls its kernels hundreds of times. So each kernel says how many numbers
it is about to work through, and few are left to the thread that asks. The answers are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from numba import get_num_threads, set_num_threads

WORTH = 1_000_000  # numbers: about half a millisecond's work

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def woken_for(n_numbers: Callable[..., int]) -> Callable[[Kernel], Kernel]:
    """A parallel kernel that runs on one thread where it has few numbers to work through."""

    def of(kernel: Kernel) -> Kernel:
        @wraps(kernel)
        def run(*arguments: Any) -> Any:
            n_threads = get_num_threads()
            if n_threads == 1 or n_numbers(*arguments) >= WORTH:
                return kernel(*arguments)
            set_num_threads(1)
            try:
                return kernel(*arguments)
            finally:
                set_num_threads(n_threads)

        return cast(Kernel, run)

    return of
