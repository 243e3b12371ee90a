"""ovos-memory-plugins' RecencyMemory against `ovos-memory-plugin-recency`."""
import time
from unittest import mock

from ovos_memory_plugins import recency as released

import histories
import originals
import rules

MODULE = "ovos-memory-plugin-recency"
SHARE = 2  # of all histories, in parts
MINUTE = 60
ROUNDS = 7  # how many ages are played; each is minutes away from every `max_age`


def settings(rng):
    config = {}
    if rng.random() < 0.8:
        config["max_history"] = rng.choice((0, 1, 2, 3, 4, 7, 10, 12))
    if rng.random() < 0.5:
        config["max_age"] = rng.choice((None, 15 * MINUTE, 35.0 * MINUTE, 1000 * MINUTE))
    if rng.random() < 0.6:
        config["system_prompt"] = rng.choice(histories.PROMPTS)
    return {"memory_module": MODULE, MODULE: config}


def steps(rng, _persona):
    """Updates carry the time they came at, the oldest first, where a request follows soon after."""
    played = histories.steps(rng, (histories.orderly, histories.orderly, histories.spoken, histories.ragged))
    if rng.random() < 0.5:
        return played
    ages = sorted((rng.randrange(ROUNDS) * 10 for _ in played), reverse=True)
    now = time.time()
    at = lambda age, messages: [{**message, "timestamp": now - age * MINUTE} for message in messages]
    return [(kind, at(age, what) if kind == "update" else what) for age, (kind, what) in zip(ages, played)]


def compared(persona, played):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    original = released.RecencyMemory(dict(persona[MODULE]))
    for kind, what in played:
        if kind == "update":
            with mock.patch.object(released.time, "time", return_value=what[0].get("timestamp", time.time())):
                originals.update(original, what, "s")
            continue
        says = originals.context(original, what, "s")
        yield (says, *wanted(says, what))


def wanted(says, utterance):
    """An original's context as a context has to be, and the differences that took part."""
    front, history, last = originals.split(says)
    history, applied = rules.settle(history, questions="kept")
    if rules.trimmed(utterance) != utterance.strip():
        applied.add("white space")
        last = {**last, "content": rules.trimmed(utterance)}
    return [*front, *history, last], applied
