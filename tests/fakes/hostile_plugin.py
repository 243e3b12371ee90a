#!/usr/bin/env python3
"""A memory plugin that misbehaves in the way its settings name.

Settings: `mode`; `once`, a file: it misbehaves only while that file is not there, and makes it, so that its next run
behaves. When it behaves, a context is one message, and what it was told is its history.
"""
import json
import os
import signal
import subprocess
import sys
import time


def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.buffer.flush()


def answer(request, result):
    say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")


def fail(request, code, message):
    say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}}) + "\n")


def forever(act=lambda: time.sleep(3600)):
    while True:
        act()


def context(request):
    return [{"role": "user", "content": request["params"]["utterance"]}]


def text_of(size):
    return b'{"jsonrpc":"2.0","id":2,"result":"' + b"x" * size + b'"}\n'


def on_initialize(mode, request):
    if mode == "exit_at_start":
        sys.exit(3)
    if mode == "refuse":
        fail(request, -32000, "no such\nmodel")
        forever()
    if mode == "silent_at_start":
        forever()
    if mode == "ignore_sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if mode == "child_in_group":
        child = subprocess.Popen(["sleep", "3600"])
        with open(request["params"]["config"]["pidfile"], "w", encoding="ascii") as file:
            file.write(str(child.pid))


def misbehave(mode, request, held):
    if mode == "hang":
        return
    if mode == "ignore_sigterm":
        forever()
    if mode == "flood":
        forever(lambda: say(b"x" * 65536))
    if mode == "flood_lines":
        forever(lambda: say(b'{"jsonrpc":"2.0","id":999999,"result":null}\nnonsense\n' * 1000))
    if mode == "half_line":
        say('{"jsonrpc":"2.0","id":')
        sys.exit(5)
    if mode == "huge":
        forever(lambda: say(text_of(100 << 20)))
    if mode == "bad_utf8":
        say(b'{"jsonrpc":"2.0","id":%d,"result":[{"role":"user","content":"\xff\xfe"}]}\n' % request["id"])
    if mode == "deep":
        say(b'{"jsonrpc":"2.0","id":%d,"result":' % request["id"] + b"[" * 100000 + b"]" * 100000 + b"}\n")
    if mode == "close_output":
        os.close(1)
        forever()
    if mode == "close_input":
        os.close(0)
        forever()
    if mode == "endless_stderr":
        forever(lambda: os.write(2, b"complaint\n" * 1000))
    if mode == "wrong_shape":
        answer(request, [{"role": "user", "content": 7}])
    if mode == "backwards":
        held.append(request)
        if len(held) == 3:
            for one in reversed(held):
                answer(one, context(one))
            say('{"jsonrpc":"2.0","id":%d,"result":null}\n' % held[0]["id"])  # again


def main():
    request = json.loads(sys.stdin.readline())
    config = request["params"]["config"]
    mode = config.get("mode", "")
    once = config.get("once")
    if once and os.path.exists(once):
        mode = ""
    elif once:
        open(once, "w", encoding="ascii").close()
    on_initialize(mode, request)
    answer(request, {})
    history, held = [], []
    for line in sys.stdin:
        request = json.loads(line)
        method = request["method"]
        if mode and method == "build_conversation_context":
            misbehave(mode, request, held)
        elif method == "build_conversation_context":
            answer(request, context(request))
        elif method == "update_history":
            history += request["params"]["messages"]
            answer(request, None)
        elif method == "get_history":
            answer(request, history)
        else:
            fail(request, -32601, "no such method")


main()
