#!/usr/bin/env python3
"""Writes the golden files beside it from what the released Python memories say, and checks them with --check.

make.py [--check]

Runs in the environment of the differential tests (see README.md), whose named differences are in these contexts.
"""
import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real" / "differential"))
import composite  # noqa: E402
import entity  # noqa: E402
import lexical  # noqa: E402
import local_rag  # noqa: E402
import longterm  # noqa: E402
import play  # noqa: E402
import recency  # noqa: E402
import retrieval  # noqa: E402
import short_term  # noqa: E402
from endpoint import Endpoint  # noqa: E402

PROMPT = "You are Ada, the assistant of a small household. Answer in one sentence."
TALK = (
    ("My sister Ingrid arrives on Thursday.", "Noted: Ingrid arrives on Thursday."),
    ("Her train to Bergen leaves from platform nine.", "I will mention platform nine when she asks."),
    ("How long does rye bread bake?", "About fifty minutes at 200 degrees."),
    ("The neighbour's cat is called Mortimer.", "Good to know. Mortimer it is."),
    ("Würdest du bitte die Blumen gießen lassen?", "Die Bewässerung läuft heute Abend um acht."),
    ("Put olives on my shopping list.", "Olives are on the list."),
    ("What's 17 times 23?", "391."),
    ("Dim the hallway lamp.", "Done."),
)
# Words of the second exchange, and one of the third: which of them comes first is plain.
QUESTION = "  Bergen train, platform nine? Bread?\n"

# What a model says to a prompt that holds these words; the first that fits.
SAYS = (
    ("Previous summary:", "Ingrid arrives on Thursday; her train leaves from platform nine. Mortimer is a cat."),
    ("New conversation:", "  Ada was told that Ingrid, a sister,\narrives on Thursday.\n"),
    ("arrives on Thursday", '["Has a sister called Ingrid", "Expects Ingrid on Thursday"]'),
    ("Bergen", '["Ingrid takes a train to Bergen"]'),
    ("Mortimer", 'That would be:\n```json\n["The neighbour has a cat called Mortimer", "..."]\n```\nAnything else?'),
    ("Blumen", '["Hat Blumen, die abends gegossen werden", "has a sister called INGRID"]'),
    ("olives", '["Wants olives"] and perhaps [] or ["Goes shopping"]'),
    ("", "[]"),
)


def says(prompt):
    return next(answer for words, answer in SAYS if words in prompt)


def messages_of(talk):
    return [message for question, answer in talk
            for message in ({"role": "user", "content": question}, {"role": "assistant", "content": answer})]


def persona(module, **config):
    return {"name": "Ada", "memory_module": module.MODULE, module.MODULE: {"system_prompt": PROMPT, **config}}


def retriever(module, mode, **config):
    return persona(module, inject_mode=mode, max_history=4, retrieval={"max_num_results": 3}, **config)


def members():
    return [{"module": lexical.MODULE, "weight": 1.0, "config": {"db_path": ":memory:", "max_history": 4}},
            {"module": recency.MODULE, "config": {"max_history": 6}}]


def cases():
    """File name, module, persona, history."""
    spoken = messages_of(TALK)
    spoken.insert(9, {"role": "assistant", "content": "Es dauert etwa zehn Minuten."})  # an answer in two parts
    unanswered = [*spoken, {"role": "user", "content": "And the"}]
    yield "short-term", short_term, persona(short_term, max_history=8), unanswered
    yield "recency", recency, persona(recency, max_history=7), unanswered
    for mode in retrieval.INJECT_MODES:
        yield f"lexical-{mode}", lexical, retriever(lexical, mode), unanswered
        yield f"local-rag-{mode}", local_rag, retriever(local_rag, mode), unanswered
        yield (f"composite-{mode}", composite,
               persona(composite, inject_mode=mode, members=members(), primary=recency.MODULE, fusion="rrf",
                       max_num_results=3), unanswered)
    yield "longterm", longterm, persona(longterm, summarize_every=3, recent_window=2, model="any"), messages_of(TALK)
    yield "entity", entity, persona(entity, max_facts=4, model="any"), messages_of(TALK)


def exchanges(history):
    batch = []
    for message in history:
        if message["role"] == "user" and batch:
            yield batch
            batch = []
        batch.append(message)
    yield batch


def learnt(endpoint, name):
    """What the model was asked, and what it answered, in order."""
    return [{"request": request, "answer": answer} for request, answer in endpoint.exchanges_of(name)]


def golden(endpoint, module, config, history):
    played = [*(("update", batch) for batch in exchanges(history)), ("context", QUESTION)]
    learns = getattr(module, "LEARNS", False)
    endpoint.forget()
    compared = module.compared(config, played, endpoint.url) if learns else module.compared(config, played)
    _original, wanted, _names = list(compared)[-1]
    if isinstance(wanted, retrieval.Recalled):
        wanted, _names = wanted.as_there()
    made = {"persona": config, "history": history, "utterance": QUESTION, "messages": play.without_ids(wanted)}
    return {**made, "model": learnt(endpoint, "wanted")} if learns else made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    with Endpoint(says) as endpoint:
        for name, module, config, history in cases():
            text = json.dumps(golden(endpoint, module, config, history), ensure_ascii=False, indent=1) + "\n"
            path = HERE / f"{name}.json"
            if not check:
                path.write_text(text)
            elif not path.exists() or path.read_text() != text:
                stale.append(path.name)
    if stale:
        sys.exit(f"not what the originals say: {', '.join(stale)}")
    print("ok: the golden files are what the originals say" if check else "written")


if __name__ == "__main__":
    main()
