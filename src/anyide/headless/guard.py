"""What outlives us for a moment, to end the CLIs that we can no longer end.

A process killed by SIGKILL cannot tidy up, and a CLI in mid-turn does not notice that its input has
ended. So one small shell waits at the end of a pipe that only we hold open. When we are gone,
however that came, the pipe ends and the shell kills the process groups that it was told of.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading

_SCRIPT = """
groups=" "
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) case $groups in *" $group "*)
      groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
    end) exit 0 ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
"""


class Guard:
    """Knows which process groups must not outlive this process."""

    def __init__(self) -> None:
        self._owner = -1
        self._pipe = -1
        self._shell: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()

    def add(self, group: int) -> None:
        """Let this group die with us."""
        if sys.platform != "win32":
            self._tell(f"add {group}\n")

    def drop(self, group: int) -> None:
        """Forget this group: it has ended."""
        if self._owner == os.getpid():
            self._tell(f"drop {group}\n")

    def _tell(self, line: str) -> None:
        with self._starting:
            if self._owner != os.getpid():  # the first time, or after a fork
                self._start()
        with contextlib.suppress(OSError):
            os.write(self._pipe, line.encode())

    def _start(self) -> None:
        read, self._pipe = os.pipe()
        self._owner = os.getpid()
        try:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return  # without a shell there is no guard
        finally:
            os.close(read)
        atexit.register(self._end)

    def _end(self) -> None:
        if self._owner != os.getpid() or self._shell is None:
            return
        # Not "end": what still runs at our exit must be ended too.
        with contextlib.suppress(OSError):
            os.close(self._pipe)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._shell.wait(2)
        self._shell, self._owner = None, -1


GUARD = Guard()
