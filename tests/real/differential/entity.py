"""ovos-memory-plugins' EntityMemory against `ovos-memory-plugin-entity`."""
from ovos_memory_plugins.entity import EntityMemory

import histories
import originals
import recency
import rules

MODULE = "ovos-memory-plugin-entity"
SHARE = 1  # of all histories, in parts
LEARNS = True
WORDS = ("cats dogs Lisbon jazz Ada tea peanuts chess Bergen cellos lilies Tuesdays rye trains Omar snow 東京 "
         "Grüße عسل olives").split()


def settings(rng):
    config = {}
    if rng.random() < 0.6:
        config["max_facts"] = rng.choice((0, 1, 2, 3, 5, 50))
    if rng.random() < 0.5:
        config["model"] = rng.choice(("", "a-model"))
    if rng.random() < 0.3:
        config["max_extract_tokens"] = rng.choice((64, 200))
    if rng.random() < 0.4:
        config["facts_header"] = rng.choice(("What you know:", ""))
    if rng.random() < 0.3:
        config["extraction_prompt"] = "Facts, please, as {{\"JSON\"}}.\n{exchange}\nOnly the array."
    if rng.random() < 0.6:
        config["system_prompt"] = rng.choice(histories.PROMPTS)
    return {"memory_module": MODULE, MODULE: config}


def said(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 5)))


def steps(rng, _persona):
    """Whole exchanges, one or several an update, each update followed by a request."""
    played = []
    for _ in range(rng.randint(1, 8)):
        batch = []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            batch.append({"role": "user", "content": said(rng)})
            batch += [{"role": "assistant", "content": said(rng)} for _ in range(rng.choice((1, 1, 1, 1, 0, 2)))]
        played += [("update", batch), ("context", histories.said(rng))]
    return played


def memory(config, api_url):
    return EntityMemory({**config, "backend": "memory", "api_url": api_url})


def whole_exchanges(batch):
    """The parts of an answer as one message, whatever is between them and the question."""
    return rules.fold(batch)


def compared(persona, played, url):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    original, told = memory(persona[MODULE], url("released")), memory(persona[MODULE], url("wanted"))
    names = set()
    for kind, what in played:
        if kind == "update":
            originals.update(original, what, "s")
            whole = whole_exchanges(what)
            names |= {"whole exchanges"} if whole != what else set()
            originals.update(told, whole, "s")
            continue
        says = originals.context(original, what, "s")
        context, applied = recency.wanted(originals.context(told, what, "s"), what)
        yield says, context, names | applied
