"""personad-memory-host with a released memory plugin and with a bad one, over pipes, as personad drives it.

memory_host.py PERSONAD PERSONACTL
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

from conversation import PATIENCE, check

# Prints, raises, leaves, and answers with what is no text.
BAD = '''
import os, subprocess, sys, threading, time
from ovos_plugin_manager.templates.agents import AgentContextManager, AgentMessage, MessageRole

print("on import")

class Bad(AgentContextManager):
    def get_history(self, session_id):
        print("a line on stdout")
        os.write(1, b"and one past Python\\n")
        subprocess.run(["echo", "and one of a child"])
        return [AgentMessage(MessageRole.USER, f"half a pair: \\ud83d, stdin: {sys.stdin.read()!r}")]

    def update_history(self, new_messages, session_id):
        if session_id == "raise":
            raise RuntimeError("no \\u00e4 today")
        sys.exit(3)

    def build_conversation_context(self, utterance, session_id):
        return None

    def search(self, query, **more):
        return {"infinite": float("inf"), "query": query}

    def shutdown(self):
        print("shutting down")
        threading.Thread(target=time.sleep, args=(600,)).start()
'''


def install_bad(folder):
    about = folder / "bad_memory-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "bad_memory.py").write_text(BAD)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-memory\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[opm.agents.memory]\nbad-memory = bad_memory:Bad\n")


class Host:
    """The program, as a child."""

    def __init__(self, entry_point, folder):
        self.last_id = 0
        self.errors = []
        program = pathlib.Path(sys.executable).parent / "personad-memory-host"
        environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_STATE_HOME": str(folder),
                       "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
        self.child = subprocess.Popen([str(program), entry_point], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env=environment)
        self.watchdog = threading.Timer(PATIENCE * 3, self.child.kill)
        self.watchdog.daemon = True
        self.watchdog.start()
        self.listener = threading.Thread(target=lambda: self.errors.extend(self.child.stderr), daemon=True)
        self.listener.start()

    def send(self, line):
        self.child.stdin.write(line + b"\n")
        self.child.stdin.flush()

    def read(self):
        line = self.child.stdout.readline()
        if not line:
            raise AssertionError(f"the host is gone: {b''.join(self.errors).decode(errors='replace')}")
        return json.loads(line)

    def answer(self, method, **params):
        self.last_id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}).encode())
        answer = self.read()
        if (answer["jsonrpc"], answer["id"]) != ("2.0", self.last_id):
            raise AssertionError(f"{method} is not answered under its id: {answer}")
        return answer

    def result(self, method, **params):
        answer = self.answer(method, **params)
        if "result" not in answer:
            raise AssertionError(f"{method}: {answer}")
        return answer["result"]

    def error(self, method, **params):
        return self.answer(method, **params)["error"]

    def ended(self):
        code = self.child.wait(PATIENCE)
        self.listener.join(PATIENCE)
        self.watchdog.cancel()
        return code, self.child.stdout.read()


def message(role, content):
    return {"role": role, "content": content}


def a_released_plugin(folder):
    host = Host("ovos-memory-plugin-recency", folder)
    check("nothing is done before initialize", host.error("get_history", session_id="a")["code"], -32002)
    check("another protocol is refused", host.error("initialize", config={}, protocol=2)["code"], -32602)
    told = host.result("initialize", config={"max_history": 4, "system_prompt": "Be kind."}, protocol=1)
    check("it says what it speaks", (told["protocol"], "search" in told["methods"]), (1, False))
    for i in range(3):
        check("what was said is taken", host.result("update_history", session_id="a", messages=[
            message("user", f"question {i} — ü"), message("assistant", f"answer {i}")]), None)
    window = [message("user", "question 1 — ü"), message("assistant", "answer 1"),
              message("user", "question 2 — ü"), message("assistant", "answer 2")]
    check("the released plugin keeps its window", host.result("get_history", session_id="a"), window)
    check("and builds its context", host.result("build_conversation_context", session_id="a", utterance=" and? "),
          [message("system", "Be kind."), *window, message("user", "and?")])
    check("for each session", host.result("get_history", session_id="b"), [])
    check("a tool call survives", host.result("update_history", session_id="t", messages=[
        message("user", "how warm"),
        {**message("assistant", ""), "tool_calls": [{"id": "1", "name": "warmth", "arguments": {"room": "attic"}}]},
        {**message("tool", "20"), "tool_call_id": "1", "name": "warmth"}]), None)
    check("as it was", host.result("get_history", session_id="t")[1]["tool_calls"],
          [{"id": "1", "name": "warmth", "arguments": {"room": "attic"}}])
    check("what it cannot do is not found", [host.error(name, query="x", session_id="a")["code"]
                                             for name in ("search", "forget", "dance")], [-32601] * 3)
    check("wrong params are refused", [host.error("get_history", session_id=1)["code"],
                                       host.error("update_history", session_id="a")["code"]], [-32602] * 2)
    host.send(b"{ not json")
    check("so is what is no JSON", host.read()["error"]["code"], -32700)
    host.send(b"[1]")
    check("and what is no request", host.read()["error"]["code"], -32600)
    host.send(json.dumps({"jsonrpc": "2.0", "method": "get_history", "params": {"session_id": "a"}}).encode())
    check("a notification is not answered, close is", host.result("close"), None)
    check("and the host ends", host.ended(), (0, b""))


def a_bad_plugin(folder):
    host = Host("bad-memory", folder)
    host.result("initialize", config={}, protocol=1)
    check("what a plugin prints is in nobody's way, and it has no input", host.result("get_history", session_id="a"),
          [message("user", "half a pair: ?, stdin: ''")])
    said = [message("user", "x")]
    check("what it raises is an error", host.error("update_history", session_id="raise", messages=said),
          {"code": -32000, "message": "RuntimeError: no ä today"})
    check("so is an attempt to leave", host.error("update_history", session_id="leave", messages=said),
          {"code": -32000, "message": "SystemExit: 3"})
    check("and a context that is none", host.error("build_conversation_context", session_id="a", utterance="x")["code"],
          -32000)
    check("and a result that is no JSON", host.error("search", query="x")["code"], -32000)
    check("it still answers", len(host.result("get_history", session_id="a")), 1)
    host.child.stdin.close()
    check("it ends with its input, even if a thread does not", host.ended(), (0, b""))
    said = b"".join(host.errors).decode()
    for line in ("on import", "a line on stdout", "and one past Python", "and one of a child", "shutting down"):
        check(f"standard error has: {line}", line in said, True)


def no_plugin(folder):
    host = Host("not-installed-memory", folder)
    check("a plugin that is not installed is an error", "not-installed-memory" in
          host.error("initialize", config={}, protocol=1)["message"], True)
    host.child.stdin.close()
    check("and the host ends", host.ended(), (0, b""))


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="personad-real-"))
    try:
        install_bad(folder)
        a_released_plugin(folder)
        a_bad_plugin(folder)
        no_plugin(folder)
        print("all well")
    except AssertionError as wrong:
        sys.exit(f"FAILED: {wrong}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
