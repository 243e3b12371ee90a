"""Messages of OVOS agents as personad has them on the bus, and back."""
import json

from ovos_plugin_manager.templates.agents import AgentMessage, MessageRole

try:
    from ovos_plugin_manager.templates.agents import ToolCall
except ImportError:  # older than tool calls
    ToolCall = None


def to_wire(message):
    """The object that stands for an AgentMessage."""
    role = getattr(message.role, "value", message.role)
    wire = {"role": str(role), "content": _text(message.content)}
    for key in ("name", "tool_call_id"):
        value = getattr(message, key, None)
        if value:
            wire[key] = str(value)
    calls = getattr(message, "tool_calls", None)
    if calls:
        wire["tool_calls"] = [{"id": str(call.id), "name": str(call.name), "arguments": _arguments(call.arguments)}
                              for call in calls]
    return wire


def from_wire(wire):
    """The AgentMessage of an object; None for what this version of ovos-plugin-manager has no word for."""
    if not isinstance(wire, dict):
        return None
    try:
        role = MessageRole(wire.get("role"))
    except ValueError:
        return None
    calls = wire.get("tool_calls") or []
    if calls and ToolCall is None:
        return None
    more = {}
    if calls:
        more["tool_calls"] = [ToolCall(id=call["id"], name=call["name"], arguments=dict(call.get("arguments") or {}))
                              for call in calls]
    if ToolCall is not None:
        more.update({key: wire[key] for key in ("name", "tool_call_id") if wire.get(key)})
    return AgentMessage(role=role, content=_text(wire.get("content")), **more)


def list_from_wire(messages):
    return [message for message in map(from_wire, messages) if message is not None]


def _text(content):
    text = "" if content is None else str(content)
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text


def _arguments(arguments):
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {}
    return arguments if isinstance(arguments, dict) else {}
