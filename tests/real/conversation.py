"""Drives personad through the released Python bus and the released Python bus client, as an assistant does.

conversation.py PERSONAD PERSONACTL [PERSONAD_BENCH]
"""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

PATIENCE = 20  # seconds, for anything that should happen
PR_SET_PDEATHSIG = 1


def eventually(what, condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {PATIENCE} s: {what}")


def check(name, got, wanted):
    if got != wanted:
        raise AssertionError(f"{name}\n  got    {got}\n  wanted {wanted}")
    print(f"ok: {name}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A process that never outlives this one."""

    def __init__(self, command, log, environment):
        self.log = log
        die_with_us = lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        with open(log, "ab") as out:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment,
                                          preexec_fn=die_with_us)

    def stop(self, how=signal.SIGTERM):
        self.child.send_signal(how)
        try:
            return self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            return self.child.wait(PATIENCE)


class Bus:
    """The released Python message bus on a port of its own; stopped and started as often as wanted."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        settings = folder / "config" / "mycroft" / "mycroft.conf"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"websocket": {"host": "127.0.0.1", "port": self.port, "route": "/core"},
                                        "log_level": "ERROR"}))
        os.environ.update(HOME=str(folder), XDG_CONFIG_HOME=str(folder / "config"), XDG_DATA_HOME=str(folder / "data"),
                          XDG_CACHE_HOME=str(folder / "cache"), XDG_STATE_HOME=str(folder / "state"))
        self.url = f"ws://127.0.0.1:{self.port}/core"

    def start(self):
        self.process = Process([sys.executable, "-m", "ovos_messagebus"], self.folder / "bus.log", dict(os.environ))
        eventually("the bus accepts connections", self.accepts)

    def accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def stop(self):
        self.process.stop(signal.SIGKILL)


class Personad:
    def __init__(self, program, control, folder, *bus):
        self.control = control
        self.socket = folder / "admin.sock"
        self.folder = folder
        (folder / "personas").mkdir(parents=True, exist_ok=True)
        command = [program, "--data-dir", folder / "data", "--personas", folder / "personas", "--admin-socket",
                   self.socket, *bus]
        self.process = Process([str(part) for part in command], folder / "personad.log", dict(os.environ))
        eventually("personad is there", self.socket.exists)

    def ask(self, *arguments):
        """What personactl prints as JSON."""
        done = subprocess.run([self.control, "--admin-socket", str(self.socket), "--json", *arguments],
                              capture_output=True, text=True, timeout=PATIENCE)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def connected(self):
        status = self.ask("status")
        return status is not None and status["bus"]["connected"]

    def history(self, session):
        kept = self.ask("history", session, "--limit", "10000")
        return [f'{turn["role"]}: {turn["content"]}' for turn in kept["messages"]]


class Speaker:
    """An assistant's components, through the released client."""

    def __init__(self, port):
        from ovos_bus_client.client import MessageBusClient
        self.client = MessageBusClient(host="127.0.0.1", port=port, route="/core", ssl=False)
        self.client.run_in_thread()
        if not self.client.connected_event.wait(PATIENCE):
            raise AssertionError("the Python client does not connect")

    def message(self, kind, data, session):
        from ovos_bus_client.message import Message
        from ovos_bus_client.session import Session
        return Message(kind, data, {"source": "audio", "destination": ["skills"],
                                    "session": Session(session).serialize()})

    def say(self, session, text):
        self.client.emit(self.message("recognizer_loop:utterance", {"utterances": [text], "lang": "en-us"}, session))

    def speak(self, session, text):
        self.client.emit(self.message("speak", {"utterance": text, "lang": "en-us"}, session))

    def handled(self, session):
        self.client.emit(self.message("ovos.utterance.handled", {}, session))

    def exchange(self, session, question, answer):
        self.say(session, question)
        self.speak(session, answer)
        self.handled(session)

    def context(self, session, utterance):
        answer = self.client.wait_for_response(self.message("ovos.memory.context", {"utterance": utterance}, session),
                                               timeout=PATIENCE)
        if answer is None:
            raise AssertionError("the context request was not answered")
        return [f'{one["role"]}: {one["content"]}' for one in answer.data["result"]["messages"]]

    def close(self):
        self.client.close()


def lines(session, numbers):
    return [line for i in numbers for line in (f"user: question {i} of {session}", f"assistant: answer {i} of {session}")]


def talk(speaker, sessions, numbers):
    for i in numbers:
        for session in sessions:
            speaker.exchange(session, f"question {i} of {session}", f"answer {i} of {session}")


def heard_and_answered(bus, personad):
    speaker = Speaker(bus.port)
    speaker.exchange("kitchen", "my name is Ada", "Nice to meet you, Ada.")
    check("the context request of the real client is answered", speaker.context("kitchen", "what is my name?"),
          ["user: my name is Ada", "assistant: Nice to meet you, Ada.", "user: what is my name?"])
    sessions = [f"room-{i}" for i in range(10)]
    talk(speaker, sessions, range(30))
    speaker.context(sessions[-1], "so that all of it was heard")
    for session in sessions:
        if personad.history(session) != lines(session, range(30)):
            raise AssertionError(f"the history of {session} is not what was said")
    print("ok: 300 exchanges over 10 sessions are recorded, in order")
    return speaker


def survives_a_new_bus(bus, personad, speaker):
    speaker.say("hall", "is anybody there?")
    eventually("the utterance is heard", lambda: personad.history("hall") == ["user: is anybody there?"])
    bus.stop()
    eventually("personad sees that the bus is gone", lambda: not personad.connected())
    bus.start()
    eventually("personad is back by itself", personad.connected)
    speaker = Speaker(bus.port)
    speaker.speak("hall", "Here I am.")
    speaker.handled("hall")
    check("an exchange goes on over a restart of the bus", speaker.context("hall", "good"),
          ["user: is anybody there?", "assistant: Here I am.", "user: good"])
    check("nothing said before was lost", personad.history("room-3"), lines("room-3", range(30)))
    talk(speaker, ["room-3"], range(30, 40))
    speaker.context("room-3", "so that all of it was heard")
    check("what is said afterwards is recorded", personad.history("room-3"), lines("room-3", range(40)))
    speaker.close()


def real_client_on_our_bus(personad_program, control, folder):
    port = free_port()
    personad = Personad(personad_program, control, folder, "--embedded-bus", f"127.0.0.1:{port}")
    speaker = Speaker(port)
    speaker.exchange("kitchen", "hello", "Hi.")
    check("the real client works on the embedded bus", speaker.context("kitchen", "you"),
          ["user: hello", "assistant: Hi.", "user: you"])
    speaker.close()
    check("personad ends well", personad.process.stop(), 0)


def play(folder, personad_program, control, bench):
    bus = Bus(folder / "bus")
    personad = Personad(personad_program, control, folder / "personad", "--bus", bus.url)
    bus.start()  # after personad: it waits for it
    eventually("personad connects", personad.connected)
    speaker = heard_and_answered(bus, personad)
    survives_a_new_bus(bus, personad, speaker)
    if bench:
        compared = subprocess.run([bench, "--compare-on", bus.url, "--ratio", "1.5"], timeout=120)
        check("a context request takes at most 1.5 times as long as a bare echo", compared.returncode, 0)
    check("personad ends well", personad.process.stop(), 0)
    bus.stop()
    real_client_on_our_bus(personad_program, control, folder / "embedded")


def show_logs(folder):
    for log in sorted(folder.rglob("*.log")):
        print(f"--- {log.relative_to(folder)}\n{log.read_text(errors='replace')[-4000:]}")


def main():
    personad, control, *bench = sys.argv[1:]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="personad-real-"))
    code = 1
    try:
        play(folder, personad, control, bench[0] if bench else None)
        print("all well")
        code = 0
    except AssertionError as wrong:
        print(f"FAILED: {wrong}")
        show_logs(folder)
    except Exception:
        traceback.print_exc()
        show_logs(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        sys.stdout.flush()
        os._exit(code)  # the client library leaves threads behind that wait for a bus that is gone


if __name__ == "__main__":
    main()
