"""Code for the start of a script that is run as a process of its own and killed in the middle of its work."""

KILL_AT_STEP = """
import itertools, os, signal, sys

def at_step(number):
    steps = itertools.count()
    def step(event, arguments):
        if event.startswith(("open", "os.", "shutil.")) and next(steps) == number:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(step)
    sync = os.fsync
    os.fsync = lambda descriptor: (step("os.fsync", ()), sync(descriptor))[1]
"""
"""Defines `at_step(number)`: from then on, the process is killed at its file operation of this number."""
