"""ovos-memory-plugins' LexicalMemory against `ovos-memory-plugin-lexical`."""
import collections

from ovos_memory_plugins.lexical import LexicalMemory

import originals
import retrieval
import rules

MODULE = "ovos-memory-plugin-lexical"
SHARE = 2  # of all histories, in parts
RANKS = True
steps = retrieval.steps


def settings(rng):
    return {"memory_module": MODULE, MODULE: retrieval.settings(rng)}


def memory(config):
    return LexicalMemory({**config, "db_path": ":memory:"})


def compared(persona, played):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    return compared_with(memory, persona[MODULE], played)


def compared_with(make, config, played):
    """The same for any retriever that `make` makes. Recall is in all the sessions that were played."""
    original = make(config)
    told = collections.defaultdict(list)
    for kind, what, *where in played:
        session = where[0] if where else "s"
        if kind == "update":
            originals.update(original, what, session)
            told[session] += what
            continue
        yield (originals.context(original, what, session), wanted(make, original, config, told, what, session), None)


def wanted(make, original, config, told, utterance, session):
    """The context with the named differences."""
    history, applied = rules.settle(retrieval.history_of(original, session), questions="kept")
    exchanges = [exchange for messages in told.values() for exchange in retrieval.exchanges_of(messages)]
    query = original._build_query(utterance, session)
    shown = retrieval.shown_chunks(history, exchanges)
    candidates = recalled(make, config, exchanges, shown, query)
    hits = candidates[:original.max_num_results]
    found = [hit.content for hit in original.search(query, session)]
    if found != [hit.content for hit in hits]:
        applied |= retrieval.chunk_differences(found, shown, exchanges)
    return retrieval.Recalled(lambda some: retrieval.laid_out(make, config, history, some, utterance), hits, candidates,
                              applied | retrieval.prompt_difference(config))


def recalled(make, config, exchanges, shown, query):
    """All that the original's search finds in whole exchanges, but for those that are shown."""
    whole = make(config)
    for question, answer in exchanges:
        whole.store(retrieval.chunk(question, answer), "s")
    found = whole.search(query, "s", top_k=len(exchanges) + 1)
    return [hit for hit in found if hit.content not in shown]
