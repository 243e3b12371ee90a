"""Hosts an installed OVOS memory plugin as a memory program of personad.

personad-memory-host ENTRY_POINT

JSON-RPC 2.0, one object a line, on standard input and output. Calls are handled one after the other, in order: plugins
are written for one caller. Whatever a plugin does, the answer to a call is a result or an error, and nothing but
answers is written to standard output; what a plugin prints goes to standard error.
"""
import argparse
import dataclasses
import enum
import json
import os
import sys
import threading

PROTOCOL = 1
PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
FAILED, NOT_INITIALIZED, NO_PLUGIN = -32000, -32002, -32003
END_LIMIT = 5.0  # seconds for a plugin's threads to end


class CallError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Host:
    """One plugin and the calls it answers."""

    def __init__(self, entry_point):
        self.entry_point = entry_point
        self.plugin = None
        self.closed = False
        self.methods = {"initialize": self.initialize, "get_history": self.get_history,
                        "update_history": self.update_history, "search": self.search, "forget": self.forget,
                        "build_conversation_context": self.build_conversation_context, "close": self.close}

    def answer(self, line):
        """The answer to a line, as an object; None: it asks for none."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return _error(None, PARSE_ERROR, "not JSON")
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            return _error(None, INVALID_REQUEST, "not a request")
        wants_answer = "id" in request
        try:
            result = self.call(request["method"], request.get("params", {}))
            answer = {"jsonrpc": "2.0", "id": request.get("id"), "result": result}
        except CallError as why:
            answer = _error(request.get("id"), why.code, str(why))
        except (Exception, SystemExit) as wrong:
            answer = _error(request.get("id"), FAILED, f"{type(wrong).__name__}: {wrong}")
        return answer if wants_answer else None

    def call(self, method, params):
        if method not in self.methods:
            raise CallError(NOT_FOUND, f"there is no method {method}")
        if not isinstance(params, dict):
            raise CallError(INVALID_PARAMS, "params are no object")
        if self.plugin is None and method not in ("initialize", "close"):
            raise CallError(NOT_INITIALIZED, "initialize comes first")
        return self.methods[method](params)

    def initialize(self, params):
        if params.get("protocol", PROTOCOL) != PROTOCOL:
            raise CallError(INVALID_PARAMS, f"protocol {params['protocol']} is not spoken here, {PROTOCOL} is")
        config = params.get("config") or {}
        if not isinstance(config, dict):
            raise CallError(INVALID_PARAMS, "config is no object")
        from ovos_plugin_manager.agents import load_memory_plugin
        plugin = load_memory_plugin(self.entry_point)
        if plugin is None:
            raise CallError(NO_PLUGIN, f"no opm.agents.memory plugin {self.entry_point} is installed")
        self.plugin = plugin(config=config)
        return {"protocol": PROTOCOL, "plugin": self.entry_point,
                "methods": [name for name in self.methods
                            if name not in ("search", "forget") or self._optional(name) is not None]}

    def get_history(self, params):
        return _to_wire(self.plugin.get_history(_text(params, "session_id")))

    def update_history(self, params):
        from ovos_personad_memory.messages import list_from_wire
        messages = params.get("messages")
        if not isinstance(messages, list):
            raise CallError(INVALID_PARAMS, "messages is no list")
        session_id = _text(params, "session_id")
        messages = list_from_wire(messages)
        if messages:
            self.plugin.update_history(messages, session_id)
        return None

    def build_conversation_context(self, params):
        return _to_wire(self.plugin.build_conversation_context(_text(params, "utterance"), _text(params, "session_id")))

    def search(self, params):
        search = self._optional("search")
        if search is None:
            raise CallError(NOT_FOUND, f"{self.entry_point} does not search")
        return _plain(search(**{"query": _text(params, "query"), **params}))

    def forget(self, params):
        forget = self._optional("forget")
        if forget is None:
            raise CallError(NOT_FOUND, f"{self.entry_point} does not forget")
        return _plain(forget(**params))

    def close(self, _):
        self.closed = True
        for name in ("close", "shutdown"):
            end = self._optional(name)
            if end is not None:
                end()
                break
        return None

    def _optional(self, name):
        method = getattr(self.plugin, name, None)
        return method if callable(method) else None


def _error(request_id, code, message):
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def _text(params, key):
    if not isinstance(params.get(key), str):
        raise CallError(INVALID_PARAMS, f"{key} is no text")
    return params[key]


def _to_wire(messages):
    from ovos_personad_memory.messages import to_wire
    return [to_wire(message) for message in messages]


def _plain(value):
    """Anything as what JSON has."""
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(member) for member in value]
    return str(value)


def _line(answer):
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as wrong:
        text = json.dumps(_error(answer.get("id"), FAILED, f"a result that is no JSON: {wrong}"))
    return text.encode("utf-8", "replace") + b"\n"


def _take_over_streams():
    """Our own standard input and output; the plugin, and all it loads, gets none and standard error."""
    lines = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    return lines, answers


def _write(answers, line):
    while line:
        line = line[answers.write(line):]


def _end():
    """Ends with the program even if a thread of the plugin does not."""
    limit = threading.Timer(END_LIMIT, os._exit, (0,))
    limit.daemon = True
    limit.start()


def main():
    parser = argparse.ArgumentParser(prog="personad-memory-host", description="Hosts an installed OVOS memory plugin "
                                     "as a memory program of personad: JSON-RPC 2.0 on standard input and output.")
    parser.add_argument("entry_point", help="name of the plugin in the group opm.agents.memory")
    host = Host(parser.parse_args().entry_point)
    lines, answers = _take_over_streams()
    try:
        for line in lines:
            if not line.strip():
                continue
            answer = host.answer(line)
            if answer is not None:
                _write(answers, _line(answer))
            if host.closed:
                break
        else:
            host.answer(b'{"jsonrpc": "2.0", "method": "close"}')  # the other side is gone
    except BrokenPipeError:
        pass
    sys.stdout.flush()
    _end()


if __name__ == "__main__":
    main()
