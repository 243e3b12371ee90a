"""The memory plugin: asks personad, and does without when personad is away."""
from ovos_plugin_manager.templates.agents import AgentContextManager, AgentMessage, MessageRole
from ovos_utils.log import LOG

from ovos_personad_memory.asker import CONTEXT, HISTORY, UPDATE, Asker, Away, Refused, shared_asker
from ovos_personad_memory.messages import list_from_wire, to_wire

TIMEOUT = 2.0  # seconds
MOST_MESSAGES = 1000  # in one update


class PersonadMemory(AgentContextManager):
    """What a persona remembers, asked from personad over the message bus.

    Configuration keys
    ------------------
    persona_id : str   whose memory; left out, personad takes the persona that is active in the session
    record : "bus"     personad hears the turns on the bus, `update_history` does nothing (default)
             "client"  `update_history` hands them over
    timeout : float    seconds that a call may take (2)
    system_prompt : str  of the contexts that are made here, while personad is away

    Threads: any. Errors: none; a call that fails gives an empty history or a context without one, and is logged
    when it begins to fail.
    """

    def __init__(self, config=None, bus=None):
        super().__init__(config)
        self._asker = None
        self._complaints = {}
        self.bus = bus
        self.persona_id = self._word("persona_id") or self._word("name")
        self.records = self._word("record") == "client"
        if self.config.get("record") not in (None, "bus", "client"):
            LOG.warning('personad-memory-plugin: "record" is neither "bus" nor "client"; it is taken as "bus"')
        timeout = self.config.get("timeout", TIMEOUT)
        usable = isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and timeout > 0
        self.timeout = float(timeout) if usable else TIMEOUT

    @property
    def bus(self):
        """A bus client to ask on; None: the connection that all memories of this process share."""
        return self._bus

    @bus.setter
    def bus(self, bus):
        self._bus = bus
        self._asker = None if bus is None else Asker(bus)

    def get_history(self, session_id):
        result = self._ask(HISTORY, {}, session_id)
        return self._messages(result)

    def update_history(self, new_messages, session_id):
        if not self.records:
            return
        try:
            messages = [to_wire(message) for message in new_messages]
        except Exception as wrong:
            self._complain(UPDATE, f"messages that cannot be handed over: {wrong!r}")
            return
        for begin in range(0, len(messages), MOST_MESSAGES):
            if self._ask(UPDATE, {"messages": messages[begin:begin + MOST_MESSAGES]}, session_id) is None:
                return

    def build_conversation_context(self, utterance, session_id):
        utterance = (utterance or "").strip()
        result = self._ask(CONTEXT, {"utterance": utterance}, session_id) if utterance else None
        messages = self._messages(result)
        if messages and messages[-1].role == MessageRole.USER:
            return messages
        return self._context_without_history(utterance)

    def _context_without_history(self, utterance):
        prompt = self.config.get("system_prompt")
        prompt = prompt.strip() if isinstance(prompt, str) else ""
        context = [AgentMessage(role=MessageRole.SYSTEM, content=prompt)] if prompt else []
        return context + [AgentMessage(role=MessageRole.USER, content=utterance)]

    def _ask(self, topic, data, session_id):
        """The result of the answer; None: there is none."""
        try:
            data["on_behalf_of"] = _whom(session_id)
            if self.persona_id:
                data["persona_id"] = self.persona_id
            result = (self._asker or shared_asker()).ask(topic, data, self.timeout)
        except (Away, Refused) as why:
            self._complain(topic, str(why))
        except Exception as wrong:
            self._complain(topic, repr(wrong))
        else:
            self._complain(topic, None)
            return result
        return None

    def _messages(self, result):
        try:
            return list_from_wire((result or {}).get("messages") or [])
        except Exception as wrong:
            self._complain("messages", f"an answer that cannot be read: {wrong!r}")
            return []

    def _complain(self, about, why):
        """Logs what fails once, and once that it works again."""
        before = self._complaints.get(about)
        self._complaints[about] = why
        if why is None and before is not None:
            LOG.info(f"personad-memory-plugin: {about} works again")
        elif why != before:
            LOG.warning(f"personad-memory-plugin: {about}: {why}; the persona goes on without it")

    def _word(self, key):
        value = self.config.get(key)
        return value if isinstance(value, str) else ""


def _whom(session_id):
    session_id = str(session_id or "default")
    peer = _peer_of(session_id)
    return {"session_id": session_id} if peer is None else {"session_id": session_id, "peer": peer}


def _peer_of(session_id):
    """The satellite a session belongs to, as its hub stamped it; "": nobody did; None: it is not known.

    A memory is told the session only. The message that is being handled is looked for in the callers, as OVOS does it.
    """
    try:
        from ovos_bus_client.message import dig_for_message
        message = dig_for_message()
        if message is None or message.context["session"]["session_id"] != session_id:
            return None
        peer = message.context.get("peer", "")
        return peer if isinstance(peer, str) else None
    except Exception:  # no session in it, or a client that does not look
        return None
