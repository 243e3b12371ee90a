"""The memory plugin for OVOS, with stand-ins for the packages of OVOS that it imports."""
import dataclasses
import enum
import pathlib
import random
import sys
import threading
import time
import types
import typing
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 10


class Role(str, enum.Enum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclasses.dataclass
class ToolCall:
    id: str
    name: str
    arguments: dict


@dataclasses.dataclass
class Message:
    role: Role
    content: str
    tool_calls: typing.Optional[list] = None
    tool_call_id: typing.Optional[str] = None
    name: typing.Optional[str] = None


class ContextManager:
    def __init__(self, config=None):
        self.config = config or {}


class BusMessage:
    def __init__(self, kind, data=None, context=None):
        self.msg_type, self.data, self.context = kind, data or {}, context or {}


class Log:
    warnings = []

    @classmethod
    def warning(cls, line):
        cls.warnings.append(line)

    info = warning


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__path__ = []
    vars(module).update(members)
    sys.modules[name] = module


handled = threading.local()
stand_in("ovos_plugin_manager")
stand_in("ovos_plugin_manager.templates")
stand_in("ovos_plugin_manager.templates.agents", AgentContextManager=ContextManager, AgentMessage=Message,
         MessageRole=Role, ToolCall=ToolCall)
stand_in("ovos_utils")
stand_in("ovos_utils.log", LOG=Log)
stand_in("ovos_bus_client")
stand_in("ovos_bus_client.message", Message=BusMessage, dig_for_message=lambda: getattr(handled, "message", None))
sys.path.insert(0, str(ROOT / "integrations" / "ovos"))

from ovos_personad_memory import PersonadMemory  # noqa: E402
from ovos_personad_memory.asker import CONTEXT, UPDATE, Asker, Away, Refused  # noqa: E402


class Bus:
    """A bus whose other side is a function from a request's topic and data to answers."""

    def __init__(self, answers=lambda topic, data: []):
        self.answers = answers
        self.handlers = {}
        self.emitted = []
        self.connected_event = threading.Event()
        self.connected_event.set()

    def on(self, topic, handler):
        self.handlers.setdefault(topic, []).append(handler)

    def emit(self, message):
        self.emitted.append(message)
        for data in self.answers(message.msg_type, message.data):
            self.deliver(message.msg_type, data)

    def deliver(self, topic, data):
        for handler in self.handlers.get(topic + ".response", []):
            handler(BusMessage(topic + ".response", data))


def result(data, **members):
    return {"request_id": data["request_id"], "result": members}


class Asking(unittest.TestCase):
    def test_each_of_200_threads_gets_its_own_answer_however_they_are_ordered(self):
        held, lock, mixed_up = [], threading.Lock(), []
        bus = Bus()

        def hold(topic, data):
            with lock:
                held.append((topic, data))
            return []

        bus.answers = hold
        asker = Asker(bus)

        def ask(number):
            for turn in range(3):
                got = asker.ask(CONTEXT, {"utterance": f"{number}.{turn}"}, PATIENCE)
                if got != {"echo": f"{number}.{turn}"}:
                    mixed_up.append((number, turn, got))

        threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(200)]
        for thread in threads:
            thread.start()
        dice, end = random.Random(1), time.monotonic() + PATIENCE
        while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
            with lock:
                batch, held[:] = list(held), []
            dice.shuffle(batch)
            for topic, data in batch:
                bus.deliver(topic, result(data, echo=data["utterance"]))
        self.assertEqual(mixed_up, [])
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual(len(bus.handlers[CONTEXT + ".response"]), 1)

    def test_answers_of_others_and_answers_that_come_twice_are_ignored(self):
        bus = Bus(lambda topic, data: [{"result": {"wrong": 1}}, {"request_id": 5, "result": {"wrong": 2}},
                                       {"request_id": "another", "result": {"wrong": 3}}, result(data, right=1),
                                       result(data, wrong=4)])
        self.assertEqual(Asker(bus).ask(CONTEXT, {}, PATIENCE), {"right": 1})

    def test_an_error_is_raised_with_its_words(self):
        bus = Bus(lambda topic, data: [{"request_id": data["request_id"], "error": "unknown_persona: Eve"}])
        with self.assertRaisesRegex(Refused, "unknown_persona: Eve"):
            Asker(bus).ask(CONTEXT, {}, PATIENCE)

    def test_silence_is_waited_for_once_and_briefly_afterwards_until_an_answer_comes(self):
        bus = Bus()
        asker = Asker(bus)
        for limit, at_least in ((0.5, 0.5), (PATIENCE, 0.25)):
            began = time.monotonic()
            self.assertRaises(Away, asker.ask, CONTEXT, {}, limit)
            took = time.monotonic() - began
            self.assertGreaterEqual(took, at_least)
            self.assertLess(took, at_least + 2)
        bus.deliver(CONTEXT, result(bus.emitted[0].data))  # late
        began = time.monotonic()
        self.assertRaises(Away, asker.ask, CONTEXT, {}, 0.5)
        self.assertGreaterEqual(time.monotonic() - began, 0.5)

    def test_nothing_is_sent_without_a_connection(self):
        bus = Bus()
        bus.connected_event.clear()
        self.assertRaises(Away, Asker(bus).ask, CONTEXT, {}, 0.05)
        self.assertEqual(bus.emitted, [])


class Remembering(unittest.TestCase):
    def setUp(self):
        Log.warnings.clear()
        handled.message = None

    def test_a_request_is_made_under_its_own_session_on_behalf_of_the_conversation(self):
        bus = Bus(lambda topic, data: [result(data, messages=[{"role": "user", "content": "x"}])])
        PersonadMemory({"persona_id": "Ada"}, bus).build_conversation_context(" x ", "kitchen")
        message = bus.emitted[0]
        self.assertEqual(message.context["session"], {"session_id": "default"})
        self.assertNotIn("peer", message.context)
        self.assertEqual({**message.data, "request_id": None},
                         {"utterance": "x", "persona_id": "Ada", "on_behalf_of": {"session_id": "kitchen"},
                          "request_id": None})

    def test_the_peer_of_the_message_that_is_handled_is_named_if_it_has_this_session(self):
        bus = Bus(lambda topic, data: [result(data, messages=[])])
        memory = PersonadMemory({"name": "Ada"}, bus)
        handled.message = BusMessage("x", {}, {"session": {"session_id": "s"}, "peer": "Phone::7::hall::a"})
        memory.get_history("s")
        memory.get_history("other")
        handled.message = BusMessage("x", {}, {})
        memory.get_history("s")
        self.assertEqual([message.data["on_behalf_of"] for message in bus.emitted],
                         [{"session_id": "s", "peer": "Phone::7::hall::a"}, {"session_id": "other"},
                          {"session_id": "s"}])

    def test_messages_and_tool_calls_are_the_same_there_and_back(self):
        kept = []

        def answers(topic, data):
            kept.extend(data.get("messages", []))
            return [result(data, messages=kept, stored=1, ids=[])]

        memory = PersonadMemory({"record": "client"}, Bus(answers))
        told = [Message(Role.USER, "how warm"),
                Message(Role.ASSISTANT, "", [ToolCall("1", "warmth", {"a": [1, None]})]),
                Message(Role.TOOL, "20", tool_call_id="1", name="warmth"), Message(Role.ASSISTANT, "Twenty.")]
        memory.update_history(told, "s")
        self.assertEqual(memory.get_history("s"), told)

    def test_what_is_heard_on_the_bus_is_not_handed_over(self):
        bus = Bus()
        for config in ({}, {"record": "bus"}, {"record": "nonsense"}, {"record": 1}):
            PersonadMemory(config, bus).update_history([Message(Role.USER, "x")], "s")
        self.assertEqual(bus.emitted, [])

    def test_long_updates_are_cut_into_parts(self):
        bus = Bus(lambda topic, data: [result(data, stored=len(data["messages"]), ids=[])])
        PersonadMemory({"record": "client"}, bus).update_history([Message(Role.USER, "x")] * 2500, "s")
        self.assertEqual([(m.msg_type, len(m.data["messages"])) for m in bus.emitted],
                         [(UPDATE, 1000), (UPDATE, 1000), (UPDATE, 500)])

    def test_without_an_answer_there_is_the_prompt_and_the_question_and_one_line_in_the_log(self):
        memory = PersonadMemory({"system_prompt": " Be kind. ", "timeout": 0.05}, Bus())
        for _ in range(3):
            self.assertEqual(memory.build_conversation_context(" x ", "s"),
                             [Message(Role.SYSTEM, "Be kind."), Message(Role.USER, "x")])
        self.assertEqual(len(Log.warnings), 1)
        self.assertEqual(memory.get_history("s"), [])

    def test_no_answer_of_any_shape_raises(self):
        for answer in ({}, {"result": 1}, {"result": {}}, {"result": {"messages": 5}},
                       {"result": {"messages": [5, None]}},
                       {"result": {"messages": [{"role": "user", "content": 7, "tool_calls": [{}]}]}},
                       {"result": {"messages": [{"role": [], "content": "x"}]}}, {"error": 5},
                       {"result": {"messages": [{"role": "assistant", "content": "no question"}]}}):
            with self.subTest(answer=answer):
                bus = Bus(lambda topic, data: [{"request_id": data["request_id"], **answer}])
                memory = PersonadMemory({"record": "client"}, bus)
                self.assertEqual(memory.build_conversation_context("x", "s")[-1], Message(Role.USER, "x"))
                self.assertIsInstance(memory.get_history("s"), list)
                memory.update_history([Message(Role.USER, "x"), object()], "s")

    def test_no_configuration_raises(self):
        for config in ({"timeout": "soon"}, {"timeout": -1}, {"timeout": True}, {"persona_id": 5}, {"name": None},
                       {"system_prompt": 5}, {"record": []}):
            with self.subTest(config=config):
                memory = PersonadMemory(config, Bus(lambda topic, data: [result(data, messages=[])]))
                self.assertEqual(memory.build_conversation_context("x", None), [Message(Role.USER, "x")])

    def test_a_bus_that_raises_is_no_memory(self):
        def raises(topic, data):
            raise RuntimeError("broken")

        memory = PersonadMemory({}, Bus(raises))
        self.assertEqual(memory.build_conversation_context("x", "s"), [Message(Role.USER, "x")])
        self.assertIn("broken", Log.warnings[0])


if __name__ == "__main__":
    unittest.main()
