"""A personad of its own in a temporary folder, asked over its admin socket."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE = 30  # seconds, for anything that should happen
PR_SET_PDEATHSIG = 1
AT_ONCE = 200  # requests under way; well below what the daemon keeps for a client that does not read


class NotAnswered(Exception):
    """The daemon said no, or nothing."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Personad:
    """The process and one connection to its admin socket; it ends with the `with` block, or with this process."""

    def __init__(self, program, personas, configuration="{}"):
        """`personas`: persona file contents by persona id."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="personad-differential-"))
        (self.folder / "personas").mkdir()
        for name, persona in personas.items():
            (self.folder / "personas" / f"{name}.json").write_text(json.dumps(persona))
        (self.folder / "personad.conf").write_text(configuration)
        self.socket_path = self.folder / "admin.sock"
        self.log = self.folder / "personad.log"
        self.command = [program, "--config", self.folder / "personad.conf", "--data-dir", self.folder / "data",
                        "--personas", self.folder / "personas", "--admin-socket", self.socket_path, "--embedded-bus",
                        f"127.0.0.1:{free_port()}"]
        self.child = self.lines = None
        self.asked = 0

    def __enter__(self):
        try:
            self.start()
            self.connection = self.connected()
        except BaseException:
            self.__exit__()
            raise
        self.lines = self.connection.makefile("rb")
        return self

    def start(self):
        environment = {**os.environ, "HOME": str(self.folder)}
        with open(self.log, "wb") as out:
            self.child = subprocess.Popen([str(part) for part in self.command], stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=out, env=environment, preexec_fn=die_with_parent)

    def connected(self):
        end = time.monotonic() + PATIENCE
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(PATIENCE)
            try:
                connection.connect(str(self.socket_path))
                return connection
            except OSError:
                connection.close()
                if self.child.poll() is not None or time.monotonic() > end:
                    raise NotAnswered(f"personad did not start:\n{self.log.read_text(errors='replace')}")
                time.sleep(0.02)

    def __exit__(self, *_):
        if self.lines is not None:
            self.lines.close()
            self.connection.close()
        if self.child is not None:
            self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self):
        self.child.terminate()
        try:
            self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()

    def ask_all(self, requests):
        """The `data` of the answers to (topic, data) pairs, in their order.

        Requests of one session take effect in order.
        """
        requests = list(requests)
        answers = []
        for start in range(0, len(requests), AT_ONCE):
            part = requests[start:start + AT_ONCE]
            first = self.asked
            self.asked += len(part)
            frames = [json.dumps({"type": topic, "data": {**data, "request_id": str(first + i)}}) + "\n"
                      for i, (topic, data) in enumerate(part)]
            self.connection.sendall("".join(frames).encode())
            got = {}
            while len(got) < len(part):
                line = self.lines.readline()
                if not line:
                    raise NotAnswered(f"personad is gone:\n{self.log.read_text(errors='replace')[-4000:]}")
                answer = json.loads(line)["data"]
                got[answer["request_id"]] = answer
            answers += [got[str(first + i)] for i in range(len(part))]
        return answers

    def ask(self, topic, **data):
        answer = self.ask_all([(topic, data)])[0]
        if "error" in answer:
            raise NotAnswered(f"{topic}: {answer['error']}")
        return answer["result"]
