"""The rules of docs/contexts.md on lists of messages, told a second time so that what the originals leave out can be
added to their side of a comparison. Messages are dicts as in the bus API; each function also says what it changed."""


def calls_tools(message):
    return message["role"] == "assistant" and bool(message.get("tool_calls"))


def joins(before, message, questions="replaced"):
    """'replaces', 'merges' or None: how a message joins the one before it; `questions` are replaced or kept."""
    if before["role"] != message["role"]:
        return None
    if message["role"] == "user":
        return "replaces" if questions == "replaced" else None
    if message["role"] == "assistant" and not calls_tools(before) and not calls_tools(message):
        return "merges"
    return None


def merged(first, second):
    return first + ("\n" if first and second else "") + second


def fold(messages, questions="replaced"):
    """Messages in which neighbours are joined."""
    folded = []
    for message in messages:
        how = joins(folded[-1], message, questions) if folded else None
        if how == "replaces":
            folded[-1] = dict(message)
        elif how == "merges":
            folded[-1] = {**folded[-1], "content": merged(folded[-1]["content"], message["content"])}
        else:
            folded.append(dict(message))
    return folded


def whole_calls(messages):
    """Calls with all their results right after them stay; every other call and result goes."""
    kept = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        if message["role"] == "tool":
            continue
        if not calls_tools(message):
            kept.append(message)
            continue
        open_calls = {call["id"] for call in message["tool_calls"]}
        results = []
        while position < len(messages) and messages[position]["role"] == "tool":
            if messages[position].get("tool_call_id") in open_calls:
                open_calls.discard(messages[position]["tool_call_id"])
                results.append(messages[position])
            position += 1
        if not open_calls:
            kept += [message, *results]
    return kept


def settle(history, questions="replaced"):
    """(what may stand in a context, the names of the differences that took part)."""
    applied = set()
    whole = whole_calls(history)
    if whole != history:
        applied.add("whole calls")
    kept = fold(whole, questions)
    if len(kept) != len(whole) and not applied:
        applied.add("one answer")
    while kept and kept[0]["role"] != "user":
        if kept[0]["role"] == "assistant" and not calls_tools(kept[0]):
            applied.add("orphan answers")
        kept.pop(0)
    while kept and kept[-1]["role"] == "user":
        kept.pop()
    return kept, applied


WHITE_SPACE = " \t\n\v\f\r"


def trimmed(text):
    return text.strip(WHITE_SPACE)
