"""The released Python memories, loaded and spoken to in the messages of the bus API."""
import importlib.metadata
import importlib.util
import logging

from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole, ToolCall
from ovos_utils.log import LOG

LOG.set_level(logging.CRITICAL)


def short_term():
    """BasicShortTermMemory from the file it is in: its package imports the whole assistant, which it does not need."""
    distribution = importlib.metadata.distribution("ovos-persona")
    path = next(file for file in distribution.files if str(file) == "ovos_persona/memory.py").locate()
    spec = importlib.util.spec_from_file_location("ovos_persona_memory", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.BasicShortTermMemory


def to_original(message):
    calls = [ToolCall(id=call["id"], name=call["name"], arguments=call["arguments"])
             for call in message.get("tool_calls", [])]
    return AgentMessage(role=MessageRole(message["role"]), content=message["content"], tool_calls=calls or None,
                        tool_call_id=message.get("tool_call_id"), name=message.get("name"))


def from_original(message):
    told = {"role": message.role.value, "content": message.content}
    if message.name:
        told["name"] = message.name
    if message.tool_call_id:
        told["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        told["tool_calls"] = [{"id": call.id, "name": call.name, "arguments": call.arguments}
                              for call in message.tool_calls]
    return told


def update(memory, messages, session):
    memory.update_history([to_original(message) for message in messages], session)


def context(memory, utterance, session):
    return [from_original(message) for message in memory.build_conversation_context(utterance, session)]


def split(messages):
    """(system messages at the front, history, the utterance's message) of an original's context."""
    front = 0
    while messages[front]["role"] in ("system", "developer"):
        front += 1
    return messages[:front], messages[front:-1], messages[-1]
