"""Pantella's memory manager of personad: against a peer that plays personad on the released bus, then against personad.

pantella.py PERSONAD PERSONACTL

What of Pantella the manager touches is written down here, as far as it touches it.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import traceback
import types

from conversation import PATIENCE, Bus, Personad, check, eventually, show_logs

MANAGER = pathlib.Path(__file__).resolve().parents[2] / "integrations" / "pantella" / "personad_memory.py"


class Log:
    def __init__(self):
        self.lines = []

    def __getattr__(self, level):
        return lambda *words: self.lines.append((level, " ".join(map(str, words))))


class BaseManager:
    """The part of Pantella's base class that a manager builds on."""

    def __init__(self, character_manager):
        self.conversation_manager = character_manager.conversation_manager
        self.character_manager = character_manager
        self.config = self.conversation_manager.config
        self.conversation_history_directory = f"data/{self.name}_{self.base_id}_{self.ref_id}/"


class Tokenizer:
    def get_token_count_of_message(self, message):
        message["name"] = message.get("name")  # it does that
        return len(message["content"].split())


class Conversation:
    def __init__(self, **settings):
        self.config = types.SimpleNamespace(game_id="skyrim", reload_buffer=20, **settings)
        self.messages = []
        self.player_name = "Ysa"
        self.conversation_id = "conversation-1"
        self.conversation_ended = False
        self.tokenizer = Tokenizer()


class Character:
    def __init__(self, conversation, name="Lydia", ref_id="0A2C94"):
        self.conversation_manager = conversation
        self.name, self.race, self.gender, self.base_id, self.ref_id = name, "Nord", "Female", "0A2C8E", ref_id


class Game:
    """One conversation with one character."""

    counter = 0

    def __init__(self, module, character=None, **settings):
        self.conversation = Conversation(**settings)
        self.character = character or Character(self.conversation)
        self.character.conversation_manager = self.conversation
        self.memory = module.MemoryManager(self.character)

    def say(self, role, content, **more):
        Game.counter += 1
        message = {"role": role, "content": content, "id": f"message-{Game.counter}", "location": "Whiterun",
                   "timestamp": 1000.5 + Game.counter, "type": "message", **more}
        self.conversation.messages.append(message)
        self.memory.add_message(message)
        return message


def install_pantella(log):
    """What the manager imports of Pantella."""
    for name in ("src", "src.memory_managers"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = []
    for name, members in (("src.logging", {"logging": log, "time": time}),
                          ("src.memory_managers.base_memory_manager", {"base_MemoryManager": BaseManager})):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)


def load_manager():
    spec = importlib.util.spec_from_file_location("src.memory_managers.personad_memory", MANAGER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Peer:
    """Plays personad: answers what it was told to, and remembers what it was asked."""

    def __init__(self, url):
        import websocket
        self.asked = []
        self.results = {}
        self.silent = False
        self.gone = websocket.WebSocketException
        self.socket = websocket.create_connection(url, timeout=PATIENCE)
        self.socket.settimeout(None)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                message = json.loads(self.socket.recv())
            except (OSError, self.gone):
                return
            topic = message["type"]
            if topic.endswith(".response") or not topic.startswith("ovos.memory."):
                continue
            self.asked.append(message)
            if self.silent:
                continue
            answer = self.results.get(topic, {})
            answer = {"error": answer} if isinstance(answer, str) else {"result": answer}
            other = {"result": {"messages": [], "memories": [], "wrong": True}, "request_id": "another's"}
            self.send(topic + ".response", other)
            self.send(topic + ".response", {**answer, "request_id": message["data"]["request_id"]})

    def send(self, topic, data):
        self.socket.send(json.dumps({"type": topic, "data": data, "context": {}}))

    def last(self, topic):
        found = [message for message in self.asked if message["type"] == topic]
        return {key: value for key, value in found[-1]["data"].items() if key != "request_id"} if found else None

    def count(self, topic):
        return len([message for message in self.asked if message["type"] == topic])


def contract(module, peer, url):
    peer.results = {
        "ovos.memory.load": {"messages": [
            {"id": "r1", "role": "user", "content": "Follow me.", "timestamp": 10.0, "type": "memory",
             "name": "[player]", "meta": {
                 "id": "old-1", "location": "Riverwood", "conversation_id": "conversation-0", "token_count": 3}},
            {"id": "r2", "role": "assistant", "content": "Lead the way.", "timestamp": 11.0, "type": "memory"}]},
        "ovos.memory.history": {"messages": [{"id": "r1", "role": "user", "content": "Follow me.", "timestamp": 10.0}]},
        "ovos.memory.step.before": {"memories": [
            {"role": "system", "content": "Lydia remembers:"}, {"role": "user", "content": "I like mead."}],
            "memory_offset": 2, "memory_offset_direction": "bottomup"},
        "ovos.memory.update": {"stored": 1, "ids": ["r3"]},
    }
    game = Game(module, personad_bus=url, personad_timeout="20")
    memory = game.memory
    check("the slug", module.manager_slug, "personad_memory")
    check("it says who it is", (memory.name, memory.race, memory.gender, memory.base_id, memory.ref_id),
          ("Lydia", "Nord", "Female", "0A2C8E", "0A2C94"))
    check("the messages are the conversation's", memory.messages is game.conversation.messages, True)
    check("it asks for the character, under the conversation",
          (peer.last("ovos.memory.load"), peer.asked[-1]["context"]["session"]["session_id"]),
          ({"persona_id": "Lydia", "limit": 20}, "pantella-skyrim-Ysa-Lydia-0A2C8E-0A2C94"))
    check("what was said before is loaded at the start", game.conversation.messages,
          [{"role": "user", "content": "Follow me.", "type": "memory", "location": "Riverwood", "emotions": {},
            "timestamp": 10.0, "id": "old-1", "conversation_id": "conversation-0", "name": "[player]",
            "token_count": 3},
           {"role": "assistant", "content": "Lead the way.", "type": "memory", "location": "", "emotions": {},
            "timestamp": 11.0, "id": "r2", "name": "Lydia", "token_count": 3}])
    memory.load_messages()
    check("loading again adds nothing", len(memory.messages), 2)
    check("whether they have met can be read", len(memory.get_all_messages()), 1)
    check("loading recorded nothing", peer.last("ovos.memory.update"), None)

    said = game.say("user", "Do you like mead?", name="[player]", emotions={"joy": 0.5})
    check("a message is kept with what the game says of it", peer.last("ovos.memory.update"),
          {"persona_id": "Lydia", "messages": [
              {"role": "user", "content": "Do you like mead?", "name": "[player]", "type": "message",
               "timestamp": said["timestamp"],
               "meta": {"id": said["id"], "location": "Whiterun", "emotions": {"joy": 0.5},
                        "conversation_id": "conversation-1", "token_count": 4}}]})
    recorded = peer.count("ovos.memory.update")
    game.say("system", "It rains.")
    memory.add_message({"role": "user", "content": "Follow me.", "type": "memory"})
    check("what is no conversation, or comes from there, is not", peer.count("ovos.memory.update"), recorded)
    game.conversation.messages.pop()

    memory.before_step()
    check("the newest messages say what memories are wanted", peer.last("ovos.memory.step.before"),
          {"persona_id": "Lydia", "messages": [
              {"role": "user", "content": "Follow me.", "name": "[player]"},
              {"role": "assistant", "content": "Lead the way.", "name": "Lydia"},
              {"role": "user", "content": "Do you like mead?", "name": "[player]"}]})
    check("which are given with every key the game reads",
          [(m["role"], m["content"], m["type"], m.get("name"), isinstance(m["id"], str)) for m in memory.memories],
          [("system", "Lydia remembers:", "prompt", None, True), ("user", "I like mead.", "memory", "[player]", True)])
    check("in their place", (memory.memory_offset, memory.memory_offset_direction), (2, "bottomup"))
    check("a step asks once", (len(memory.memories), peer.count("ovos.memory.step.before")), (2, 1))
    memory.after_step()
    check("after_step", peer.last("ovos.memory.step.after"), {"persona_id": "Lydia"})
    check("the next step asks again, even where the game forgets before_step",
          (len(memory.memories), peer.count("ovos.memory.step.before")), (2, 2))

    memory.forget_last_message()
    check("a message whose row is known is forgotten alone", peer.last("ovos.memory.forget"),
          {"persona_id": "Lydia", "what": "turn", "id": "r3"})
    game.conversation.messages.append({"role": "user", "content": "?", "id": "unknown"})
    memory.forget_last_message()
    check("else the newest exchange", peer.last("ovos.memory.forget"), {"persona_id": "Lydia", "what": "last"})
    game.conversation.messages.pop()
    memory.reached_conversation_limit()
    check("the limit", peer.last("ovos.memory.limit"), {"persona_id": "Lydia", "reason": "limit"})
    game.conversation.conversation_ended = True
    memory.reached_conversation_limit()
    check("the end", peer.last("ovos.memory.limit"), {"persona_id": "Lydia", "reason": "ended"})
    return game


def old_roles(module, url, peer):
    conversation = Conversation(personad_bus=url, personad_timeout="20", personad_persona="Everybody")
    game = Game(module, Character(conversation, name="A" * 60), personad_bus=url, personad_persona="Everybody")
    game.say("A" * 60, "I speak.")
    game.say("Ysa", "So do I.", emotions="none")
    told = [message["data"]["messages"][0] for message in peer.asked if message["type"] == "ovos.memory.update"][-2:]
    check("roles that are names are understood", [(m["role"], m["name"]) for m in told],
          [("assistant", "A" * 60), ("user", "Ysa")])
    check("one persona may serve all", peer.last("ovos.memory.update")["persona_id"], "Everybody")
    session = peer.asked[-1]["context"]["session"]["session_id"]
    check("a conversation's id is short", (session.startswith("pantella-"), len(session) <= 64), (True, True))


def two_at_once(module, url):
    games = [Game(module, Character(Conversation(), name=f"Guard {i}", ref_id=str(i)), personad_bus=url,
                  personad_timeout="20") for i in range(20)]
    threads = [threading.Thread(target=lambda game=game: [game.memory.before_step() for _ in range(10)], daemon=True)
               for game in games]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    check("many characters ask on one connection", [len(game.memory.memories) for game in games], [2] * len(games))


def refused_and_silent(game, peer, log):
    peer.results["ovos.memory.step.before"] = "unknown_persona: there is no Lydia"
    log.lines.clear()
    for _ in range(3):
        game.memory.before_step()
    warnings = [line for level, line in log.lines if level == "warning"]
    check("a refusal is no memory, said once", (game.memory.memories, len(warnings)), ([], 1))
    for error, times in (("busy: try again in 1 second", 3),
                         ("bad_request: there is no request ovos.memory.forget in this version", 1)):
        peer.results["ovos.memory.forget"] = error
        before = peer.count("ovos.memory.forget")
        for _ in range(3):
            game.memory.forget_last_message()
        check(f"forgetting is asked again unless there is no such request ({error.split(':')[0]})",
              peer.count("ovos.memory.forget") - before, times)
    peer.silent = True
    game.memory._timeout = 2
    began = time.monotonic()
    game.memory.before_step()
    game.memory.after_step()
    game.say("user", "Anybody?")
    game.memory.forget_last_message()
    game.memory.reached_conversation_limit()
    game.memory.load_messages()
    check("silence is no memory", (game.memory.memories, game.memory.get_all_messages()), ([], []))
    took = time.monotonic() - began
    if took > 12:
        raise AssertionError(f"a silent personad kept the game waiting for {took:.1f} s")
    print(f"ok: a silent personad kept the game waiting for {took:.1f} s over seven calls")


def without_a_bus(module, log):
    log.lines.clear()
    game = Game(module, personad_bus="ws://127.0.0.1:1/core", personad_timeout="0.5")
    game.say("user", "Anybody?")
    check("without a bus the game goes on", (game.memory.memories, game.memory.get_all_messages()), ([], []))
    check("the log says so", "there is no message bus" in log.lines[0][1], True)


def with_personad(module, folder, personad_program, control, bus):
    url = bus.url
    personad = Personad(personad_program, control, folder, "--bus", url)
    (folder / "personas" / "Lydia.json").write_text(json.dumps(
        {"name": "Lydia", "race": "Nord", "gender": "Female", "base_id": "0A2C8E", "ref_id": "0A2C94",
         "memory_module": "chromadb_memory",
         "chromadb_memory": {"chromadb_memory_depth": 2, "chromadb_memory_direction": "bottomup"}}))
    personad.process.stop()
    personad.socket.unlink(missing_ok=True)
    personad = Personad(personad_program, control, folder, "--bus", url)
    eventually("personad connects", personad.connected)
    game = Game(module, personad_bus=url, personad_timeout="2")
    game.say("user", "I sell apples.", name="[player]")
    game.say("assistant", "I am sworn to carry your apples.", name="Lydia")
    later = Game(module, personad_bus=url, personad_timeout="2")
    check("personad keeps what is said in a game",
          [(m["role"], m["content"], m["name"], m["location"], m["id"]) for m in later.memory.get_all_messages()],
          [(m["role"], m["content"], m["name"], m["location"], m["id"]) for m in game.conversation.messages[-2:]])
    check("the next game begins with it", [(m["type"], m["content"]) for m in later.conversation.messages],
          [("memory", "I sell apples."), ("memory", "I am sworn to carry your apples.")])
    check("what the game shows is no memory", later.memory.memories, [])
    later.conversation.messages.clear()
    later.say("user", "Do you remember the apples?", name="[player]")
    later.memory.before_step()
    check("the character remembers it where the game does not show it",
          [(m["role"], m["content"]) for m in later.memory.memories],
          [("system", "Lydia remembers what was said earlier:"), ("user", "I sell apples."),
           ("assistant", "I am sworn to carry your apples.")])
    check("its place", (later.memory.memory_offset, later.memory.memory_offset_direction), (2, "bottomup"))
    later.memory.after_step()
    later.memory.reached_conversation_limit()
    bus.stop()
    bus.start()
    eventually("personad is back", personad.connected)
    eventually("so is the manager", lambda: len(later.memory.get_all_messages()) == 3)
    print("ok: the manager finds a bus that was started again")
    check("personad ends well", personad.process.stop(), 0)


def play(folder, personad_program, control):
    log = Log()
    install_pantella(log)
    module = load_manager()
    bus = Bus(folder / "bus")
    bus.start()
    peer = Peer(bus.url)
    game = contract(module, peer, bus.url)
    old_roles(module, bus.url, peer)
    two_at_once(module, bus.url)
    refused_and_silent(game, peer, log)
    without_a_bus(module, log)
    with_personad(module, folder / "personad", personad_program, control, bus)
    bus.stop()


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="personad-real-"))
    code = 1
    try:
        play(folder, *sys.argv[1:3])
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
        os._exit(code)  # threads that listen for ever


if __name__ == "__main__":
    main()
