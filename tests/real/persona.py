"""The memory plugin for OVOS in the released plugin manager, personas and bus.

persona.py PERSONAD PERSONACTL
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import traceback

from conversation import PATIENCE, Bus, Personad, Speaker, check, eventually, show_logs

MODULE = "personad-memory-plugin"
AT_ONCE = 200

# A chat engine that answers with the messages it was given. Installed as any plugin is.
ECHO = '''
import json
from ovos_plugin_manager.templates.agents import AgentMessage, ChatEngine, MessageRole

class EchoChat(ChatEngine):
    def continue_chat(self, messages, session_id="default", lang=None, units=None, tools=None):
        return AgentMessage(MessageRole.ASSISTANT, json.dumps([f"{m.role.value}: {m.content}" for m in messages]))

    def stream_sentences(self, messages, session_id="default", lang=None, units=None, tools=None):
        yield self.continue_chat(messages).content
'''


def install_echo(folder):
    about = folder / "echo_chat-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "echo_chat.py").write_text(ECHO)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-chat\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[opm.agents.chat]\necho-chat = echo_chat:EchoChat\n")
    sys.path.insert(0, str(folder))


def persona_file(**settings):
    return {"name": "Ada", "handlers": ["echo-chat"], "memory_module": MODULE,
            MODULE: {"persona_id": "Ada", "timeout": PATIENCE, "system_prompt": "You are Ada.", **settings}}


def persona_of(**settings):
    from ovos_persona import Persona
    return Persona("Ada", persona_file(**settings))


def session(name):
    from ovos_bus_client.session import Session
    return Session(name)


def lines(messages):
    return [f"{message.role.value}: {message.content}" for message in messages]


def contexts(ada):
    from ovos_plugin_manager.agents import load_memory_plugin
    check("the released plugin manager loads the plugin", type(ada.memory), load_memory_plugin(MODULE))
    kitchen = ["system: You are Ada.", "user: what can I cook", "assistant: A soup.", "user: for how many"]
    context = ada.get_messages("for how many", session("kitchen"))
    check("a persona's context comes from personad", lines(context), kitchen)
    check("each session has its own", lines(ada.get_messages("and the train", session("study"))),
          ["system: You are Ada.", "user: when does it leave", "assistant: At six.", "user: and the train"])
    check("a chat engine is given it", json.loads(ada.chat(context, session("kitchen"))), kitchen)
    check("so is the history", lines(ada.memory.get_history("kitchen")),
          ["user: what can I cook", "assistant: A soup."])
    ada.remember("for how many", "For four.", session("kitchen"))
    check("what is heard on the bus is not recorded twice", lines(ada.memory.get_history("kitchen")),
          ["user: what can I cook", "assistant: A soup."])


def told_by_the_client():
    from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole, ToolCall
    ada = persona_of(record="client")
    ada.remember("remember the milk", "I will.", session("cellar"))
    check("a persona that records by itself has its turns kept", lines(ada.memory.get_history("cellar")),
          ["user: remember the milk", "assistant: I will."])
    call = ToolCall(id="c1", name="thermometer", arguments={"room": "attic", "deep": {"n": [1, None]}})
    told = [AgentMessage(MessageRole.USER, "how warm is it"),
            AgentMessage(MessageRole.ASSISTANT, "", tool_calls=[call]),
            AgentMessage(MessageRole.TOOL, "20 degrees", tool_call_id="c1", name="thermometer"),
            AgentMessage(MessageRole.ASSISTANT, "Twenty.")]
    ada.memory.update_history(list(told), "attic")
    check("tool calls come back as they were given", ada.memory.get_history("attic"), told)
    check("in contexts too", ada.memory.build_conversation_context("really?", "attic")[1:-1], told)
    return ada


def at_once(ada):
    rooms = [f"room-{i}" for i in range(AT_ONCE)]
    wrong, started = [], threading.Barrier(AT_ONCE)

    def live(room):
        started.wait(PATIENCE)
        ada.remember(f"I am in {room}", f"So you are in {room}.", session(room))
        for _ in range(3):
            got = lines(ada.get_messages("where am I", session(room)))
            if got != ["system: You are Ada.", f"user: I am in {room}", f"assistant: So you are in {room}.",
                       "user: where am I"]:
                wrong.append((room, got))

    threads = [threading.Thread(target=live, args=(room,), daemon=True) for room in rooms]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE * 3)
    check(f"{AT_ONCE} threads at once get what is theirs", wrong[:1], [])
    check("and all of them", [thread for thread in threads if thread.is_alive()], [])


class Service:
    """The released persona service, on a bus connection of its own."""

    def __init__(self, bus, folder):
        from ovos_persona import PersonaService
        folder.mkdir(parents=True)
        (folder / "Ada.json").write_text(json.dumps(persona_file()))
        self.speaker = Speaker(bus.port)  # its connection
        self.service = PersonaService(self.speaker.client,
                                      {"personas_path": str(folder), "ignore_plugin_personas": True})

    def ask(self, speaker, utterance, context):
        from ovos_bus_client.message import Message
        heard, answer = threading.Event(), []

        def take(message):
            if message.data.get("utterance") == utterance:
                answer.append(message.data["response"])
                heard.set()

        speaker.client.on("ovos.persona.answer", take)
        speaker.client.emit(Message("ovos.persona.query", {"persona_id": "Ada", "utterance": utterance}, context))
        if not heard.wait(PATIENCE):
            raise AssertionError(f"the persona service does not answer: {utterance}")
        speaker.client.remove("ovos.persona.answer", take)
        return json.loads(answer[0])


def asked_through_the_service(bus, folder, speaker):
    from ovos_bus_client.message import Message
    service = Service(bus, folder)
    check("the released persona service answers with what personad knows",
          service.ask(speaker, "with what", {"session": session("kitchen").serialize()}),
          ["system: You are Ada.", "user: what can I cook", "assistant: A soup.", "user: with what"])
    satellite = {"session": {"session_id": "0123456789abcdef:default"}, "peer": "Phone::7::bedroom::default",
                 "source": "hive", "destination": ["skills"]}
    said = {"utterances": ["I sleep here"], "lang": "en-us"}
    speaker.client.emit(Message("recognizer_loop:utterance", said, satellite))
    speaker.client.emit(Message("speak", {"utterance": "Good night."}, {**satellite, "source": "skills"}))
    speaker.client.emit(Message("ovos.utterance.handled", {}, satellite))
    speaker.exchange("default", "this is the hall", "Welcome.")
    name = "a satellite's persona is given the satellite's memory"
    eventually(name,
               lambda: service.ask(speaker, "where am I", satellite) ==
               ["system: You are Ada.", "user: I sleep here", "assistant: Good night.", "user: where am I"])
    print(f"ok: {name}")
    check("and the household its own", service.ask(speaker, "and now", {"session": {"session_id": "default"}}),
          ["system: You are Ada.", "user: this is the hall", "assistant: Welcome.", "user: and now"])
    service.speaker.close()


class Log:
    """Stands in for the plugin's log."""

    def __init__(self):
        self.warnings = []

    def warning(self, line):
        self.warnings.append(line)

    def info(self, _):
        pass


def without_personad():
    import ovos_personad_memory.memory as plugin
    hasty, plugin.LOG = persona_of(timeout=2), Log()
    began = time.monotonic()
    for _ in range(4):
        context = hasty.get_messages("still there?", session("kitchen"))
        check("without personad there is the question alone", lines(context),
              ["system: You are Ada.", "user: still there?"])
    check("and no history", hasty.memory.get_history("kitchen"), [])
    took = time.monotonic() - began
    if took > 8:
        raise AssertionError(f"five calls without personad took {took:.1f} s")
    print(f"ok: five calls without personad took {took:.1f} s")
    check("which is logged once", len([line for line in plugin.LOG.warnings if "ovos.memory.context" in line]), 1)
    answer = hasty.chat(hasty.get_messages("well?", session("study")), session("study"))
    check("an answer is still given", json.loads(answer), ["system: You are Ada.", "user: well?"])
    persona_of(timeout=1, record="client").remember("is anybody there", "No.", session("kitchen"))
    return hasty


def play(folder, personad_program, control):
    bus = Bus(folder / "bus")
    bus.start()
    install_echo(folder / "plugins")
    personad = Personad(personad_program, control, folder / "personad", "--bus", bus.url)
    (folder / "personad" / "personas" / "Ada.json").write_text(json.dumps(
        {"name": "Ada", "ovos-agents-short-term-memory-plugin": {"max_history": 10, "system_prompt": "You are Ada."}}))
    personad.process.stop()
    personad = again(personad_program, control, folder, bus)
    speaker = Speaker(bus.port)
    speaker.exchange("kitchen", "what can I cook", "A soup.")
    speaker.exchange("study", "when does it leave", "At six.")
    speaker.context("study", "so that all of it was heard")
    ada = persona_of()
    contexts(ada)
    at_once(told_by_the_client())
    asked_through_the_service(bus, folder / "service", speaker)
    personad.process.stop(9)
    hasty = without_personad()
    personad = again(personad_program, control, folder, bus)
    eventually("memory is back with personad", lambda: len(hasty.get_messages("and now?", session("kitchen"))) == 4)
    check("personad ends well", personad.process.stop(), 0)
    bus.stop()


def again(personad_program, control, folder, bus):
    (folder / "personad" / "admin.sock").unlink(missing_ok=True)
    personad = Personad(personad_program, control, folder / "personad", "--bus", bus.url)
    eventually("personad connects", personad.connected)
    return personad


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
        os._exit(code)  # the client library leaves threads behind that wait for a bus that is gone


if __name__ == "__main__":
    main()
