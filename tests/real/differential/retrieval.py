"""What the memories that recall have in common: settings, histories that the originals rank plainly, and the named
differences of the originals' common base."""
import histories
import originals
import rules

INJECT_MODES = ("system", "developer", "system_prompt", "user", "tool")
SYLLABLES = ("bo", "da", "fu", "gi", "ka", "lo", "mu", "no", "pi", "ra", "so", "ti", "vu", "wa", "xo", "zu")
WORDS_OF_EXCHANGE = 16  # in eight of a question and eight of an answer
TIERS = (1, 2, 4, 8, 16)  # how many of them an utterance repeats: the order of the originals is plain then


def maybe(rng, config, key, values, chance=0.4):
    if rng.random() < chance:
        config[key] = rng.choice(values)


def settings(rng):
    """The settings of a retriever, without those of where it keeps things."""
    config = {}
    retrieval, context = {}, {}
    maybe(rng, retrieval, "max_num_results", (1, 2, 3, 5, 10))
    maybe(rng, retrieval, "min_score", (None, 0, 0.0))
    maybe(rng, retrieval, "query_mode", ("utterance", "history", "history"))
    maybe(rng, retrieval, "query_history_turns", (0, 1, 2, 3))
    maybe(rng, context, "header", ("What was said before:", "", "Früher gesagt {so}:"))
    maybe(rng, context, "chunk_prefix", ("* ", "", "-- "))
    maybe(rng, context, "chunk_separator", ("\n", "\n---\n"))
    maybe(rng, context, "include_sources", (True, False), 0.2)
    maybe(rng, context, "tool_name", ("recall", "look_back"))
    maybe(rng, config, "inject_mode", INJECT_MODES, 0.8)
    maybe(rng, config, "max_history", (0, 2, 2, 4, 4, 6, 10, 1, 3), 0.8)
    maybe(rng, config, "system_prompt", histories.PROMPTS, 0.6)
    maybe(rng, config, "system_prompt_template", ("{header} ({context}) {system}", "{{{system}}}\n{context}\n"), 0.2)
    maybe(rng, config, "user_template", ("{utterance}\n\n{context}", "{{x}} {header}: {context} -> {utterance}"), 0.2)
    if retrieval:
        config["retrieval"] = retrieval
    if context:
        config["context"] = context
    return config


def new_words(rng, used):
    """Words that occur nowhere else: ends in a vowel, so that no stemmer touches them."""
    words = []
    while len(words) < WORDS_OF_EXCHANGE:
        word = "".join(rng.choice(SYLLABLES) for _ in range(5))
        if word not in used:
            used.add(word)
            words.append(word)
    return words


def steps(rng, _persona):
    """Exchanges of words of their own; utterances repeat so many words of some of them that their order is plain."""
    used, known, played, told = set(), [], [], []
    shape = rng.choice((whole_exchanges, whole_exchanges, spoken))
    for _ in range(rng.randint(0, 14)):
        messages, words = shape(rng, new_words(rng, used))
        if words:
            known.append(words)
        told += messages
        split = [messages] if rng.random() < 0.7 else list(histories.batches(rng, messages))
        played += [("update", batch) for batch in split]
        if rng.random() < 0.3:
            played.append(("context", asked(rng, known)))
    played.append(("context", asked(rng, known)))
    return played


def whole_exchanges(rng, words):
    rng.shuffle(words)
    question = {"role": "user", "content": " ".join(words[:8])}
    return [question, {"role": "assistant", "content": ", ".join(words[8:]) + "."}], words


def spoken(rng, words):
    """An answer in parts, or none."""
    question = {"role": "user", "content": " ".join(words[:8])}
    parts = rng.choice((1, 2, 4, 0))
    if parts == 0:
        return [question], []
    size = 8 // parts
    answers = [{"role": "assistant", "content": " ".join(words[8 + i * size:8 + (i + 1) * size])} for i in range(parts)]
    return [question, *answers], words


def asked(rng, known):
    if not known or rng.random() < 0.15:
        return " Wexplo brindle? "
    if rng.random() < 0.7:
        known = known[:max(1, len(known) - 5)]  # what windows do not show
    picked = rng.sample(known, min(len(known), rng.randint(1, len(TIERS))))
    words = [word for some, tier in zip(picked, rng.sample(TIERS, len(picked))) for word in rng.sample(some, tier)]
    rng.shuffle(words)
    return rng.choice(("", " ")) + " ".join(words) + rng.choice(("", "?", " \n"))


def exchanges_of(messages):
    """(question, answer) of each answered exchange, the parts of an answer joined."""
    folded = rules.fold(messages)
    return [(first["content"], second["content"]) for first, second in zip(folded, folded[1:])
            if first["role"] == "user" and second["role"] == "assistant" and second["content"]]


def chunk(question, answer):
    return f"Q: {question}\nA: {answer}".strip()


def shown_chunks(history, exchanges):
    """The chunks of the exchanges whose question is in a history part."""
    questions = {message["content"] for message in history if message["role"] == "user"}
    return {chunk(question, answer) for question, answer in exchanges if question in questions}


def history_of(original, session="s"):
    return [originals.from_original(message) for message in original.get_history(session)]


def chunk_differences(theirs, shown, exchanges):
    """Why the original recalls others."""
    applied = set()
    if shown.intersection(theirs):
        applied.add("shown once")
    if set(theirs) - {chunk(*one) for one in exchanges}:
        applied.add("whole chunks")
    return applied


class Recalled:
    """A context whose recalled exchanges stand in personad's own order.

    Everything else about it is exact: which exchanges can be recalled at all (those that share a word with the question,
    of the right conversations, and not shown already), that so many of them are as there can be, and how they are shown.
    """

    def __init__(self, lay_out, theirs, candidates, applied, fused=lambda hits: hits):
        """What the original's order gives is `theirs`, the first of `candidates`; `fused` makes the list that is shown
        of what each member finds."""
        self.lay_out, self.theirs, self.applied, self.fused = lay_out, theirs, applied, fused
        self.candidates = {hit.content: hit for hit in candidates}

    def as_there(self):
        """The context in the original's order, and the differences that took part."""
        return self.lay_out(self.theirs), self.applied

    def of(self, texts):
        """The same in the order of `texts`, those that were recalled here; in the original's where it cannot be right."""
        once = list(dict.fromkeys(texts))
        if len(texts) != len(self.theirs) or not self.candidates.keys() >= set(once):
            return self.as_there()
        hits = self.fused([self.candidates[text] for text in once])[:len(texts)]
        if [hit.content for hit in hits] != texts:
            return self.as_there()
        same = texts == [hit.content for hit in self.theirs]
        return self.lay_out(hits), self.applied if same else self.applied | {"ranked anew"}


def prompt_difference(config):
    prompt = config.get("system_prompt", "")
    return {"prompt trimmed"} if prompt != rules.trimmed(prompt) else set()


def laid_out(memory, config, history, hits, utterance, extra_system=()):
    """A context by the original's own assembly, from what is wanted in it."""
    layout = memory({**config, "system_prompt": rules.trimmed(config.get("system_prompt", ""))})
    context = layout._format_context(hits) if hits else ""
    messages = layout.assemble_context(utterance, "s", context, [originals.to_original(one) for one in history],
                                       extra_system=[originals.to_original(one) for one in extra_system])
    return [originals.from_original(message) for message in messages]
