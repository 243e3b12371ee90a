"""ovos-memory-plugins' CompositeMemory against `ovos-memory-plugin-composite`, with members that ask a model."""
from unittest import mock

from ovos_memory_plugins import longterm as released
from ovos_memory_plugins.composite import CompositeMemory

import composite
import entity
import histories
import lexical
import longterm
import originals
import recency
import retrieval
import rules

MODULE = composite.MODULE
SHARE = 1  # of all histories, in parts
LEARNS = True
RANKS = True
MEMBERS = (entity, longterm, lexical, recency)


def member(rng, module):
    config = {} if module is lexical else module.settings(rng)[module.MODULE]
    config.pop("max_age", None)
    if rng.random() < 0.6:
        config.pop("system_prompt", None)
    if module is lexical:
        config["db_path"] = ":memory:"
    if module is entity:
        config["backend"] = "memory"
    return {"module": module.MODULE, "config": config}


def settings(rng):
    config = retrieval.settings(rng)
    members = [member(rng, module) for module in rng.sample(MEMBERS, rng.randint(1, 4))]
    config["members"] = members
    if rng.random() < 0.7:
        config["primary"] = rng.choice(members)["module"]
    return {"memory_module": MODULE, MODULE: config}


def with_endpoint(persona, api_url):
    config = dict(persona[MODULE])
    config["members"] = [{**one, "config": {**one["config"], "api_url": api_url}}
                         if one["module"] in (entity.MODULE, longterm.MODULE) else one for one in config["members"]]
    return {**persona, MODULE: config}


def steps(rng, _persona):
    """Whole exchanges, some of them with facts, each followed by a request."""
    used, known, played = set(), [], []
    for _ in range(rng.randint(1, 10)):
        messages, words = retrieval.whole_exchanges(rng, retrieval.new_words(rng, used))
        known.append(words)
        question = retrieval.asked(rng, known) if rng.random() < 0.8 else histories.said(rng)
        played += [("update", messages), ("context", question)]
    return played


def compared(persona, played, url):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    config = with_endpoint(persona, url("wanted"))[MODULE]
    with mock.patch.object(released, "_JsonStore", longterm.InMemory):
        original = CompositeMemory(config)
    told = []
    for kind, what in played:
        if kind == "update":
            originals.update(original, what, "s")
            told += what
            continue
        yield originals.context(original, what, "s"), wanted(original, config, told, what), None


def wanted(original, config, told, utterance):
    history, applied = rules.settle(retrieval.history_of(original), questions="kept")
    exchanges = retrieval.exchanges_of(told)
    query = original._build_query(utterance, "s")
    shown = retrieval.shown_chunks(history, exchanges)
    candidates = composite.found_in(original, exchanges, shown, query)
    hits = composite.fused(original, candidates)
    found = [hit.content for hit in original._gather(query, "s")]
    if found != [hit.content for hit in hits]:
        applied |= retrieval.chunk_differences(found, shown, exchanges)
    blocks = in_order(original)
    theirs = [originals.from_original(block) for block in original._plain_system_blocks(utterance, "s")]
    if blocks != theirs:
        applied.add("fixed order")
    if rules.trimmed(utterance) != utterance.strip():
        applied.add("white space")

    def lay_out(some):
        context = retrieval.laid_out(CompositeMemory, {**config, "members": []}, history, some, utterance, blocks)
        context[-1]["content"] = context[-1]["content"].replace(utterance.strip(), rules.trimmed(utterance))
        return context

    return retrieval.Recalled(lay_out, hits, candidates, applied | retrieval.prompt_difference(config),
                              lambda some: composite.fused(original, some))


def in_order(original):
    """What the plain members give: prompts, facts, summary."""
    prompts, facts, summaries = [], [], []
    for _name, instance, _weight in original.plain:
        prompts.append(rules.trimmed(instance.config.get("system_prompt", "")))
        if isinstance(instance, entity.EntityMemory):
            known = instance._load_facts("s")
            facts += ["\n".join([instance.facts_header, *(f"- {fact}" for fact in known)])] if known else []
        if isinstance(instance, released.LongTermMemory):
            summary = instance._load_session("s")["summary"]
            summaries += [f"[Conversation summary so far]\n{summary}"] if summary else []
    return [{"role": "system", "content": text} for text in [*prompts, *facts, *summaries] if text]
