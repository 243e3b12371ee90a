"""ovos-memory-plugins' CompositeMemory against `ovos-memory-plugin-composite`, with members that need no model."""
from dataclasses import replace

from ovos_memory_plugins.common import fuse
from ovos_memory_plugins.composite import CompositeMemory

import lexical
import originals
import recency
import retrieval
import rules

MODULE = "ovos-memory-plugin-composite"
SHARE = 2  # of all histories, in parts
RANKS = True
FUSIONS = ("rrf", "weighted", "merge", "priority", "interleave")
steps = retrieval.steps


def member(rng):
    """One in three is a plain window."""
    name = rng.choice((lexical.MODULE, lexical.MODULE, recency.MODULE))
    config = {"max_history": rng.choice((0, 2, 4, 4, 6, 3))}
    if name == lexical.MODULE:
        config["db_path"] = ":memory:"  # where the original would else share one file between all
    if rng.random() < 0.2:
        config["system_prompt"] = rng.choice(("A member's prompt.", "Another's."))
    spec = {"module": name, "config": config}
    if rng.random() < 0.3:
        spec["weight"] = rng.choice((0.5, 1, 2.0))
    return spec


def settings(rng):
    config = retrieval.settings(rng)
    members = [member(rng) for _ in range(rng.choice((0, 1, 2, 2, 3, 3)))]
    if rng.random() < 0.1:
        members.append(recency.MODULE)
    config["members"] = members
    retrieval.maybe(rng, config, "primary", (lexical.MODULE, recency.MODULE), 0.5)
    names = [one if isinstance(one, str) else one["module"] for one in members]
    if config.get("primary") not in names:
        config.pop("primary", None)
    retrieval.maybe(rng, config, "fusion", FUSIONS, 0.8)
    retrieval.maybe(rng, config, "rrf_k", (1, 60))
    retrieval.maybe(rng, config, "max_num_results", (1, 2, 3, 5))
    retrieval.maybe(rng, config, "member_fetch_k", (1, 3, 20), 0.3)
    retrieval.maybe(rng, config, "dedup", (True, False))
    return {"memory_module": MODULE, MODULE: config}


def compared(persona, played):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    config = persona[MODULE]
    original = CompositeMemory(config)
    told = []
    for kind, what in played:
        if kind == "update":
            originals.update(original, what, "s")
            told += what
            continue
        yield originals.context(original, what, "s"), wanted(original, config, told, what), None


def wanted(original, config, told, utterance):
    """The context with the named differences."""
    history, applied = rules.settle(retrieval.history_of(original), questions="kept")
    exchanges = retrieval.exchanges_of(told)
    query = original._build_query(utterance, "s")
    shown = retrieval.shown_chunks(history, exchanges)
    candidates = found_in(original, exchanges, shown, query)
    hits = fused(original, candidates)
    found = [hit.content for hit in original._gather(query, "s")]
    if found != [hit.content for hit in hits]:
        applied |= retrieval.chunk_differences(found, shown, exchanges)
        if not applied & {"shown once", "whole chunks"}:
            applied |= members_differences(original, query, shown, exchanges)
    blocks = [originals.from_original(block) for block in original._plain_system_blocks(utterance, "s")]
    lay_out = lambda some: retrieval.laid_out(CompositeMemory, {**config, "members": []}, history, some, utterance, blocks)
    return retrieval.Recalled(lay_out, hits, candidates, applied | retrieval.prompt_difference(config),
                              lambda some: fused(original, some))


def members_differences(original, query, shown, exchanges):
    """The same one step earlier: what a member found may have been pushed out of the fused list."""
    applied = set()
    for _name, instance, _weight in original.retrievers:
        hits = instance.search(query, session_id="s", top_k=original.member_fetch_k)
        applied |= retrieval.chunk_differences([hit.content for hit in hits], shown, exchanges)
    return applied


def found_in(original, exchanges, shown, query):
    """What each member finds: all of them look for the same."""
    for _name, instance, _weight in original.retrievers:
        return lexical.recalled(lexical.memory, instance.config, exchanges, shown, query)
    return []


def fused(original, hits):
    """The members' lists, each the best of `hits`, fused by the original's own functions."""
    lists = []
    for name, _instance, weight in original.retrievers:
        ranked = [replace(hit, score=-float(rank), metadata={**hit.metadata, "retriever": name})
                  for rank, hit in enumerate(hits[:original.member_fetch_k])]
        lists.append((name, weight, ranked))
    return fuse(original.fusion, lists, rrf_k=original.rrf_k, dedup=original.dedup)[:original.max_num_results]
