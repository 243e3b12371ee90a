"""Memory manager of Pantella that keeps a character's memory in personad.

A file for src/memory_managers/ of Pantella; see the README beside it. Settings, each an attribute of Pantella's
configuration or an environment variable in capitals: `personad_bus` (URL of the message bus), `personad_persona`
(whose memory; the character's name when not set) and `personad_timeout` (seconds that a game may be kept waiting).

When personad is away the game goes on: no memories, nothing loaded, and one line in the log.
"""
import collections
import hashlib
import json
import os
import threading
import time
import uuid
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime

from src.logging import logging
from src.memory_managers.base_memory_manager import base_MemoryManager

try:
    import websocket
    websocket.WebSocket  # another package has the same name
except (ImportError, AttributeError) as missing:
    raise ImportError("personad_memory needs the package websocket-client in Pantella's Python: "
                      "python -m pip install websocket-client") from missing

manager_slug = "personad_memory"

BUS = "ws://127.0.0.1:8181/core"
TIMEOUT = 5.0
IMPATIENCE = 0.2  # seconds, while the last request was not answered
LONGEST_PAUSE = 30.0  # seconds between attempts to connect
LONGEST_CONVERSATION_ID = 64  # bytes
QUERY_MESSAGES = 20  # newest ones that say what memories are looked for
NO_SUCH_REQUEST = "bad_request: there is no request"  # of a personad that cannot do it
KNOWN_ROWS = 1000  # messages whose row in personad is known
ROLES = ("system", "developer", "user", "assistant", "tool")


class Away(Exception):
    """Nobody answers, or there is no bus."""


class Refused(Exception):
    """The answer is an error; its text is `<code>: <words>`."""


class Bus:
    """One connection to a message bus, kept up by a thread of its own, that all characters ask on.

    Answers are matched by `request_id`; their order does not matter.
    """

    _all = {}
    _making = threading.Lock()

    @classmethod
    def of(cls, url):
        with cls._making:
            if url not in cls._all:
                cls._all[url] = cls(url)
            return cls._all[url]

    def __init__(self, url):
        self._url = url
        self._waiting = {}
        self._socket = None
        self._connected = threading.Event()
        self._answered = True
        threading.Thread(target=self._keep_listening, name="personad_memory", daemon=True).start()

    def ask(self, topic, data, session_id, timeout):
        """The `result` of the answer. Raises Away or Refused."""
        patience = timeout if self._answered else min(timeout, IMPATIENCE)
        if not self._connected.wait(patience):
            self._answered = False
            raise Away(f"there is no message bus at {self._url}")
        request_id = str(uuid.uuid4())
        answer = Future()
        self._waiting[request_id] = answer
        frame = {"type": topic, "data": {**data, "request_id": request_id},
                 "context": {"source": "pantella", "destination": "personad", "session": {"session_id": session_id}}}
        try:
            self._socket.send(json.dumps(frame))
            answered = answer.result(patience)
        except NotInTime:
            self._answered = False
            raise Away("personad does not answer") from None
        except (OSError, AttributeError, websocket.WebSocketException) as wrong:
            raise Away(f"the message bus at {self._url} is gone: {wrong}") from None
        finally:
            self._waiting.pop(request_id, None)
        if isinstance(answered.get("result"), dict):
            return answered["result"]
        raise Refused(str(answered.get("error") or "internal: an answer with neither result nor error"))

    def _keep_listening(self):
        pause = 1.0
        while True:
            try:
                # No origin: this is no web page.
                self._socket = websocket.create_connection(self._url, timeout=10, suppress_origin=True)
                self._socket.settimeout(None)
                self._connected.set()
                pause = 1.0
                while True:
                    self._take(self._socket.recv())
            except Exception:  # whatever ends a connection, the next one is tried
                self._connected.clear()
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _take(self, frame):
        if not frame:
            raise websocket.WebSocketConnectionClosedException("closed by the bus")
        try:
            message = json.loads(frame)
        except ValueError:
            return
        if not isinstance(message, dict) or not str(message.get("type", "")).endswith(".response"):
            return
        data = message.get("data")
        request_id = data.get("request_id") if isinstance(data, dict) else None
        answer = self._waiting.pop(request_id, None) if isinstance(request_id, str) else None
        if str(message["type"]).startswith("ovos.memory."):
            self._answered = True
        if answer is not None:
            answer.set_result(data)


class MemoryManager(base_MemoryManager):
    """One character's memory. Threads: the game's. Errors: none; what fails is logged when it begins to fail."""

    def __init__(self, character_manager):
        super().__init__(character_manager)
        self._bus = Bus.of(self._setting("personad_bus") or BUS)
        self._timeout = _seconds(self._setting("personad_timeout"), TIMEOUT)
        self._persona = self._setting("personad_persona") or str(self.name)
        self._conversation = _conversation_id(self.config, self.conversation_manager, character_manager)
        self._complaints = {}
        self._rows = collections.OrderedDict()  # id of a message in the game -> id of its row in personad
        self._memories = []
        self._offset = 0
        self._direction = "topdown"
        self._fresh = False
        self.load_messages()

    @property
    def name(self):
        return self.character_manager.name

    @property
    def race(self):
        return self.character_manager.race

    @property
    def gender(self):
        return self.character_manager.gender

    @property
    def base_id(self):
        return self.character_manager.base_id

    @property
    def ref_id(self):
        return self.character_manager.ref_id

    @property
    def messages(self):
        return self.conversation_manager.messages

    def before_step(self):
        """The memories for what is said next."""
        newest = [self._query(message) for message in self.messages[-QUERY_MESSAGES:]]
        newest = [message for message in newest if message["content"].strip()]
        result = self._ask("ovos.memory.step.before", {"messages": newest} if newest else {})
        self._fresh = True  # also when nobody answered: it is not tried again in the same step
        if result is None:
            self._memories = []
            return
        self._memories = [self._memory(message) for message in _objects(result.get("memories"))]
        offset, direction = result.get("memory_offset"), result.get("memory_offset_direction")
        if isinstance(offset, int) and not isinstance(offset, bool) and offset >= 0:
            self._offset = offset
        if direction in ("topdown", "bottomup"):
            self._direction = direction

    def after_step(self):
        self._ask("ovos.memory.step.after", {})
        self._fresh = False

    def reached_conversation_limit(self):
        ended = getattr(self.conversation_manager, "conversation_ended", False)
        self._ask("ovos.memory.limit", {"reason": "ended" if ended else "limit"})
        self._fresh = False

    def add_message(self, message):
        self._add_message(message, self._tokens(message))

    def _add_message(self, message, token_count):
        if message.get("type") == "memory" or message.get("role") == "system":
            return  # it comes from there, or is no part of the conversation
        try:
            turn = self._turn(message, token_count)
        except (TypeError, ValueError) as wrong:
            self._complain("a message", repr(wrong))
            return
        result = self._ask("ovos.memory.update", {"messages": [turn]})
        for row in (result or {}).get("ids") or []:
            self._know(message.get("id"), row)

    def forget_last_message(self):
        """Forgets the newest message alone where its row is known, else the newest exchange.

        A personad that said that it cannot forget is not asked again, but by the next conversation.
        """
        if not self.messages or (self._complaints.get("ovos.memory.forget") or "").startswith(NO_SUCH_REQUEST):
            return
        row = self._rows.pop(self.messages[-1].get("id"), None)
        self._ask("ovos.memory.forget", {"what": "last"} if row is None else {"what": "turn", "id": row})
        self._fresh = False

    def load_messages(self):
        """Puts what was said in earlier conversations before what is said in this one."""
        limit = getattr(self.config, "reload_buffer", 20)
        limit = limit if isinstance(limit, int) and limit > 0 else 20
        result = self._ask("ovos.memory.load", {"limit": min(limit, 10000)})
        loaded = [self._loaded(message) for message in _objects((result or {}).get("messages"))]
        loaded = [message for message in loaded if not self._has(message)]
        here = self.conversation_manager.messages
        begin = next((i for i, message in enumerate(here) if message.get("type") != "memory"), len(here))
        here[begin:begin] = loaded

    def get_all_messages(self):
        """All that was ever said with this character; Pantella reads from it whether they have met."""
        result = self._ask("ovos.memory.history", {"limit": 10000})
        return [self._loaded(message) for message in _objects((result or {}).get("messages"))]

    @property
    def memories(self):
        if not self._fresh:  # some versions of Pantella call after_step in the place of before_step
            self.before_step()
        return [dict(message) for message in self._memories]

    @property
    def memory_offset(self):
        return self._offset

    @property
    def memory_offset_direction(self):
        return self._direction

    def _ask(self, topic, data):
        """The result of the answer; None: there is none."""
        try:
            result = self._bus.ask(topic, {"persona_id": self._persona, **data}, self._conversation, self._timeout)
        except (Away, Refused) as why:
            self._complain(topic, str(why))
        except Exception as wrong:  # a message that is no JSON
            self._complain(topic, repr(wrong))
        else:
            self._complain(topic, None)
            return result
        return None

    def _complain(self, about, why):
        """Logs what fails once, and once that it works again."""
        before = self._complaints.get(about)
        self._complaints[about] = why
        if why is None and before is not None:
            logging.info(f"personad_memory: {about} works again for {self.name}")
        elif why != before:
            logging.warning(f"personad_memory: {about}: {why}; {self.name} goes on without it")

    def _setting(self, key):
        value = getattr(self.config, key, None) or os.environ.get(key.upper())
        return str(value).strip() if value else ""

    def _has(self, message):
        return any(message["id"] == other.get("id") or
                   (message["role"] == other.get("role") and message["content"] == other.get("content")
                    and message["timestamp"] == other.get("timestamp")) for other in self.messages)

    def _know(self, message_id, row):
        if isinstance(message_id, str) and isinstance(row, str):
            self._rows[message_id] = row
            while len(self._rows) > KNOWN_ROWS:
                self._rows.popitem(last=False)

    def _query(self, message):
        """A message of the game as personad reads it."""
        role, name = message.get("role"), message.get("name")
        if role not in ROLES:  # old versions write who speaks
            role, name = ("assistant" if role == self.name else "user"), name or role
        query = {"role": role, "content": _text(message.get("content"))}
        if name:
            query["name"] = str(name)
        return query

    def _turn(self, message, token_count):
        turn = self._query(message)
        turn["type"] = str(message.get("type") or "message")
        if isinstance(message.get("timestamp"), (int, float)):
            turn["timestamp"] = message["timestamp"]
        meta = {key: str(message[key]) for key in ("id", "location") if message.get(key)}
        if isinstance(message.get("emotions"), dict):
            meta["emotions"] = {str(emotion): float(score) for emotion, score in message["emotions"].items()}
        meta["conversation_id"] = getattr(self.conversation_manager, "conversation_id", None)
        meta["token_count"] = token_count
        turn["meta"] = {key: value for key, value in meta.items() if value is not None}
        return turn

    def _loaded(self, turn):
        """A row of personad as a message of the game."""
        message = self._memory(turn)
        self._know(message["id"], turn.get("id"))
        return message

    def _memory(self, turn):
        """A message as Pantella's prompt needs it, with every key that it reads."""
        meta = turn.get("meta") if isinstance(turn.get("meta"), dict) else {}
        role = turn.get("role") if turn.get("role") in ROLES else "user"
        message = {"role": role, "content": _text(turn.get("content")),
                   "type": "prompt" if role == "system" else "memory",
                   "location": meta.get("location", ""), "emotions": meta.get("emotions") or {}}
        known_time = isinstance(turn.get("timestamp"), (int, float))
        message["timestamp"] = turn["timestamp"] if known_time else 0
        message["id"] = str(meta.get("id") or turn.get("id") or
                            uuid.uuid5(uuid.NAMESPACE_OID, f"{self._conversation}\n{role}\n{message['content']}"))
        if meta.get("conversation_id"):
            message["conversation_id"] = meta["conversation_id"]
        if role in ("user", "assistant"):
            message["name"] = turn.get("name") or ("[player]" if role == "user" else self.name)
        tokens = meta.get("token_count")
        tokens = tokens if isinstance(tokens, int) else self._tokens(message)
        if tokens is not None:
            message["token_count"] = tokens
        return message

    def _tokens(self, message):
        try:
            # Of a copy: counting adds keys to a message.
            return self.conversation_manager.tokenizer.get_token_count_of_message(dict(message))
        except Exception:  # no tokenizer yet
            return None


def _conversation_id(config, conversation_manager, character):
    """The same for the same player and the same character in each session of a game."""
    parts = (getattr(config, "game_id", ""), getattr(conversation_manager, "player_name", ""), character.name,
             getattr(character, "base_id", ""), getattr(character, "ref_id", ""))
    whole = "pantella-" + "-".join(str(part) for part in parts)
    if len(whole.encode()) <= LONGEST_CONVERSATION_ID:
        return whole
    return "pantella-" + hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()[:40]


def _seconds(text, otherwise):
    try:
        seconds = float(text)
    except ValueError:
        return otherwise
    return seconds if seconds > 0 else otherwise


def _objects(values):
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _text(content):
    if isinstance(content, list):  # text and pictures
        content = "\n".join(part["text"] for part in _objects(content) if isinstance(part.get("text"), str))
    text = "" if content is None else str(content)
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
