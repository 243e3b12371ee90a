#!/usr/bin/env python3
"""Brings the released originals into a virtual environment and runs a program there.

run.py --venv DIR PROGRAM [what it takes ...]

Leaves with 77 (which ctest reads as skipped) and one line that says why where the originals cannot be installed.
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
SKIPPED = 77
INSTALL_LIMIT = 420  # seconds
PLAY_LIMIT = 600
OFFLINE = ("from versions: none", "connection", "timed out", "temporary failure in name resolution", "proxy")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def install(venv, requirements=REQUIREMENTS):
    """The interpreter of an environment that holds exactly what is pinned."""
    python = venv / "bin" / "python"
    stamp = venv / "installed"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], capture_output=True, text=True)
    if made.returncode != 0:
        skip("no virtual environment can be made (is python3-venv installed?)")
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
               "--timeout", "15", "--no-deps", "-r", str(requirements)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT)
    except subprocess.TimeoutExpired:
        skip(f"pip did not install the originals within {INSTALL_LIMIT} s")
    if done.returncode != 0:
        if any(sign in done.stderr.lower() for sign in OFFLINE):
            skip("pip reaches no package index, so the released originals cannot be installed")
        sys.exit(f"pip cannot install what {requirements.name} pins:\n{done.stderr}")
    stamp.write_text(wanted)
    return python


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", required=True, type=pathlib.Path)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.program:
        parser.error("which program?")
    python = install(arguments.venv)
    command = [str(python), "-B", *arguments.program]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "NOTIFY_", "OVOS_"))}
    try:
        sys.exit(subprocess.run(command, env=environment, timeout=PLAY_LIMIT).returncode)
    except subprocess.TimeoutExpired:
        sys.exit(f"it did not end within {PLAY_LIMIT} s")


if __name__ == "__main__":
    main()
