"""ovos-persona's BasicShortTermMemory against `ovos-agents-short-term-memory-plugin`."""
import histories
import originals
import rules

MODULE = "ovos-agents-short-term-memory-plugin"
SHARE = 3  # of all histories, in parts
Original = originals.short_term()


def settings(rng):
    config = {}
    if rng.random() < 0.8:
        config["max_history"] = rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 10, 40))
    if rng.random() < 0.6:
        config["system_prompt"] = rng.choice(histories.PROMPTS)
    persona = {"memory_module": MODULE, MODULE: config}
    if rng.random() < 0.2:
        del persona["memory_module"]
    if not config and rng.random() < 0.5:
        del persona[MODULE]
    return persona


def steps(rng, _persona):
    return histories.steps(rng, (histories.orderly, histories.spoken, histories.ragged, histories.with_tools,
                                  histories.with_broken_tools))


def neighbours_inside(batch):
    return any(rules.joins(first, second) for first, second in zip(batch, batch[1:]))


def tell(memory, message, session):
    """One message, joined to an empty one without a newline; True when that made a difference."""
    before = memory.get_history(session)
    last = originals.from_original(before[-1]) if before else None
    originals.update(memory, [message], session)
    if last is None or rules.joins(last, message) != "merges" or (last["content"] and message["content"]):
        return False
    memory.session2history[session][-1].content = last["content"] + message["content"]
    return True


def compared(persona, played):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    config = persona.get(MODULE, {})
    original, told = Original(dict(config)), Original(dict(config))
    names = set()
    for kind, what in played:
        if kind == "update":
            originals.update(original, what, "s")
            if neighbours_inside(what):
                names.add("each message")
            if any([tell(told, message, "s") for message in what]):
                names.add("empty part")
            continue
        front, history, _ = originals.split(originals.context(told, what, "s"))
        history, applied = rules.settle(history)
        wanted = [*front, *history, {"role": "user", "content": rules.trimmed(what)}]
        if rules.trimmed(what) != what.strip():
            applied.add("white space")
        yield originals.context(original, what, "s"), wanted, names | applied
