"""ovos-memory-plugins' LongTermMemory against `ovos-memory-plugin-longterm`."""
from unittest import mock

from ovos_memory_plugins import longterm as released

import histories
import originals
import recency

MODULE = "ovos-memory-plugin-longterm"
SHARE = 1  # of all histories, in parts
LEARNS = True


def settings(rng):
    config = {}
    if rng.random() < 0.8:
        config["summarize_every"] = rng.choice((1, 2, 3, 4, 6))
    if rng.random() < 0.8:
        config["recent_window"] = rng.choice((0, 1, 2, 4))
    if rng.random() < 0.3:
        config["max_summary_tokens"] = rng.choice((64, 200))
    if rng.random() < 0.5:
        config["model"] = rng.choice(("", "a-model"))
    if rng.random() < 0.6:
        config["system_prompt"] = rng.choice(histories.PROMPTS)
    return {"memory_module": MODULE, MODULE: config}


def steps(rng, _persona):
    """Whole exchanges, one or several an update, each update followed by a request."""
    played = []
    for _ in range(rng.randint(1, 20)):
        batch = [say(rng) for _ in range(rng.choice((1, 1, 1, 2))) for say in (histories.user, histories.answer)]
        played += [("update", batch), ("context", histories.said(rng))]
    return played


class InMemory:
    """The original's store, without files."""

    def __init__(self, _path):
        self.records = {}

    def load(self, session):
        return self.records.get(session, {})

    def save(self, session, record):
        self.records[session] = record


def memory(config, api_url):
    with mock.patch.object(released, "_JsonStore", InMemory):
        return released.LongTermMemory({**config, "api_url": api_url})


def compared(persona, played, url):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    original = memory(persona[MODULE], url("wanted"))
    for kind, what in played:
        if kind == "update":
            originals.update(original, what, "s")
            continue
        says = originals.context(original, what, "s")
        yield (says, *recency.wanted(says, what))
