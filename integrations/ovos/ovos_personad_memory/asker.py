"""Requests to personad over a message bus.

Any number of threads ask at once, and answers may overtake each other: an answer belongs to the request whose
`request_id` it carries, and to no other.
"""
import threading
import uuid
from concurrent.futures import Future, TimeoutError as NotInTime

CONTEXT = "ovos.memory.context"
HISTORY = "ovos.memory.history"
UPDATE = "ovos.memory.update"
TOPICS = (CONTEXT, HISTORY, UPDATE)

# How long a request waits while the one before it was not answered: nobody should wait for a silent daemon at every
# turn. An answer, however late, ends this.
IMPATIENCE = 0.25


class Away(Exception):
    """Nobody answers, or there is no bus."""


class Refused(Exception):
    """The answer is an error; its text is `<code>: <words>`."""


class Asker:
    """Asks on one bus. Threads: any."""

    def __init__(self, bus):
        self._bus = bus
        self._waiting = {}
        self._answered = True
        for topic in TOPICS:
            bus.on(topic + ".response", self._take)

    def ask(self, topic, data, timeout):
        """The `result` of the answer. Raises Away or Refused."""
        patience = timeout if self._answered else min(timeout, IMPATIENCE)
        connected = getattr(self._bus, "connected_event", None)
        if connected is not None and not connected.wait(patience):
            self._answered = False
            raise Away("there is no connection to the message bus")
        request_id = str(uuid.uuid4())
        answer = Future()
        self._waiting[request_id] = answer
        try:
            self._bus.emit(_request(topic, {**data, "request_id": request_id}))
            return _result(answer.result(patience))
        except NotInTime:
            self._answered = False
            raise Away("personad does not answer") from None
        finally:
            self._waiting.pop(request_id, None)

    def _take(self, message):
        self._answered = True
        request_id = message.data.get("request_id")
        answer = self._waiting.pop(request_id, None) if isinstance(request_id, str) else None
        if answer is not None:  # else it is another's, or too late
            answer.set_result(message.data)


def _request(topic, data):
    from ovos_bus_client.message import Message
    # A session of its own: a frame with the session of a satellite would be delivered to that satellite.
    return Message(topic, data, {"source": "personad-memory-plugin", "destination": "personad",
                                 "session": {"session_id": "default"}})


def _result(data):
    if isinstance(data.get("result"), dict):
        return data["result"]
    raise Refused(str(data.get("error") or "internal: an answer with neither result nor error"))


_shared = None
_sharing = threading.Lock()


def shared_asker():
    """The one of this process, on a connection of its own to the bus of mycroft.conf. Raises Away.

    Why a connection of its own: a bus client runs its handlers on few threads. When all of them are handlers that wait
    for a context, none is left to take the answer.
    """
    global _shared
    with _sharing:
        if _shared is None:
            _shared = Asker(_connect())
        return _shared


def _connect():
    try:
        bus = _client_class()()
        # How long a newer client keeps a sender waiting for a connection that was lost meanwhile.
        bus.CONNECT_WAIT_S = bus.SEND_RECONNECT_TIMEOUT_S = 1.0
        bus.run_in_thread()
        return bus
    except Exception as wrong:
        raise Away(f"no client of the message bus can be made: {wrong!r}") from wrong


def _client_class():
    from ovos_bus_client.client import MessageBusClient

    class AnswersOnly(MessageBusClient):
        """Passes over what is not for us.

        The process has a client of its own that follows sessions; a second one that does so a moment later would undo
        what the first one has done.
        """

        def on_message(self, *arguments):
            frame = arguments[-1]
            marks = ("ovos.memory.", "ciphertext")
            if isinstance(frame, (bytes, bytearray)):
                marks = tuple(mark.encode() for mark in marks)
            if any(mark in frame for mark in marks):
                super().on_message(*arguments)

    return AnswersOnly
