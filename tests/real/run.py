#!/usr/bin/env python3
"""Brings the released peers into a virtual environment and plays a test against them.

run.py --venv DIR --personad FILE --personactl FILE [--bench FILE]
       [--play SCRIPT] [--requirements FILE] [--install FOLDER]

The script (conversation.py) gets the programs as its arguments. FOLDER is a Python project of ours, installed too.

Leaves with 77 (which ctest reads as skipped) and one line that says why where the peers cannot be installed.
"""
import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
INSTALL_LIMIT = 420  # seconds
PLAY_LIMIT = 240
OFFLINE = ("from versions: none", "connection", "timed out", "temporary failure in name resolution", "proxy")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def pip_install(python, *what):
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
               "--timeout", "15", *what]
    return subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT)


def install(venv, requirements):
    """The interpreter of an environment that holds exactly the pinned peers."""
    python = venv / "bin" / "python"
    stamp = venv / "installed"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], capture_output=True, text=True)
    if made.returncode != 0:
        skip("no virtual environment can be made (is python3-venv installed?)")
    try:
        done = pip_install(python, "-r", str(requirements))
    except subprocess.TimeoutExpired:
        skip(f"pip did not install the peers within {INSTALL_LIMIT} s")
    if done.returncode != 0:
        if any(sign in done.stderr.lower() for sign in OFFLINE):
            skip("pip reaches no package index, so the released peers cannot be installed")
        sys.exit(f"pip cannot install what {requirements.name} pins:\n{done.stderr}")
    stamp.write_text(wanted)
    return python


def install_ours(python, project):
    """From a copy: building leaves files beside the source."""
    stamp = python.parent.parent / f"installed-{project.name}"
    ours = hashlib.sha256()
    for file in sorted(path for path in project.rglob("*") if path.suffix in (".py", ".toml", ".md")):
        ours.update(str(file.relative_to(project)).encode() + b"\0" + file.read_bytes())
    if stamp.exists() and stamp.read_text() == ours.hexdigest():
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(project, pathlib.Path(folder) / project.name)
        done = pip_install(python, "--no-deps", "--no-build-isolation", "--force-reinstall", str(copy))
    if done.returncode != 0:
        sys.exit(f"pip cannot install {project.name}:\n{done.stderr}")
    stamp.write_text(ours.hexdigest())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", required=True, type=pathlib.Path)
    parser.add_argument("--personad", required=True)
    parser.add_argument("--personactl", required=True)
    parser.add_argument("--bench")
    parser.add_argument("--play", default="conversation.py")
    parser.add_argument("--requirements", default="requirements.txt")
    parser.add_argument("--install", type=pathlib.Path)
    arguments = parser.parse_args()
    python = install(arguments.venv, HERE / arguments.requirements)
    if arguments.install:
        install_ours(python, arguments.install)
    command = [str(python), str(HERE / arguments.play), arguments.personad, arguments.personactl]
    if arguments.bench:
        command.append(arguments.bench)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "NOTIFY_", "OVOS_"))}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        sys.exit(subprocess.run(command, env=environment, timeout=PLAY_LIMIT).returncode)
    except subprocess.TimeoutExpired:
        sys.exit(f"it did not end within {PLAY_LIMIT} s")


if __name__ == "__main__":
    main()
