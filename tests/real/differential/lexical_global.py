"""ovos-memory-plugins' LexicalMemory against `ovos-memory-plugin-lexical`, where recall is in every conversation."""
import lexical
import retrieval

MODULE = lexical.MODULE
RANKS = True
HISTORIES = 200  # each with a persona of its own: what is said to others would be recalled as well
SESSIONS = ("kitchen", "hall", "attic")
compared = lexical.compared


def settings(rng):
    return {"memory_module": MODULE, MODULE: {**retrieval.settings(rng), "scope": "global"}}


def steps(rng, _persona):
    """Three conversations in turns, with words of their own."""
    used, known, played = set(), [], []
    for _ in range(rng.randint(3, 24)):
        session = rng.choice(SESSIONS)
        messages, words = retrieval.whole_exchanges(rng, retrieval.new_words(rng, used))
        known.append(words)
        played.append(("update", messages, session))
        if rng.random() < 0.3:
            played.append(("context", retrieval.asked(rng, known), rng.choice(SESSIONS)))
    played.append(("context", retrieval.asked(rng, known), rng.choice(SESSIONS)))
    return played
