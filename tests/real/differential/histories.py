"""Random histories: what is said to a memory, and what it is asked."""

WORDS = ("lamp kitchen timer rain tomorrow music quiet train coffee garden seven minutes please door blue letter "
         "Straße Grüße Müller über vielleicht 厨房 天气 明天 雨 お茶 電気 つけて المطبخ غدا مطر "
         "été déjà 🙂 👩‍🚀 🇵🇹 x==y {name} {} %s <b> \\n \" ' \u200b café 42 3.14").split()
PROMPTS = ("You are Ada.", "Be kind.", "Zeile eins\nZeile zwei", "", "  Answer briefly.\n", " \n")
SPACE = (" ", " ", " ", " ", "  ", "\n", "\t")
ENDS = ("", "", "", "", " ", "\n", "\t ", "  \r\n")


def text(rng, empty=0.04):
    """Something said: short mostly, in several scripts, with white space where it may be."""
    if rng.random() < empty:
        return ""
    length = rng.choice((1, 2, 3, 5, 8, 13)) if rng.random() < 0.97 else rng.randint(200, 2000)
    words = "".join(rng.choice(WORDS) + rng.choice(SPACE) for _ in range(length))
    return rng.choice(ENDS) + words[:-1] + rng.choice(ENDS)


def said(rng):
    """An utterance: never blank, which a request would be refused for."""
    return text(rng, empty=0).strip() and text(rng, empty=0) or "hello"


def user(rng):
    return {"role": "user", "content": text(rng)}


def answer(rng):
    return {"role": "assistant", "content": text(rng)}


def tool_round(rng, number):
    """A call of one to three tools with all its results."""
    ids = [f"call-{number}-{i}" for i in range(rng.randint(1, 3))]
    call = {"role": "assistant", "content": rng.choice(("", text(rng))),
            "tool_calls": [{"id": one, "name": "look_up", "arguments": {"q": text(rng)}} for one in ids]}
    results = [{"role": "tool", "content": text(rng), "tool_call_id": one, "name": "look_up"} for one in ids]
    rng.shuffle(results)
    return [call, *results]


def orderly(rng):
    """Question, answer, question, answer: what ovos-persona itself sends."""
    return [message for _ in range(rng.randint(0, 9)) for message in (user(rng), answer(rng))]


def spoken(rng):
    """Answers in parts, questions without answers."""
    messages = []
    for _ in range(rng.randint(0, 9)):
        messages.append(user(rng))
        messages += [answer(rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return messages


def ragged(rng):
    """Roles in any order."""
    return [rng.choice((user, answer))(rng) for _ in range(rng.randint(0, 20))]


def with_tools(rng):
    messages = []
    for number in range(rng.randint(1, 7)):
        messages.append(user(rng))
        for again in range(rng.choice((0, 1, 1, 2))):
            messages += tool_round(rng, f"{number}-{again}")
        if rng.random() < 0.9:
            messages.append(answer(rng))
    return messages


def with_broken_tools(rng):
    """Calls that lack a result; where all are lacking nothing was answered either."""
    messages = []
    for number in range(rng.randint(1, 7)):
        messages.append(user(rng))
        call = tool_round(rng, str(number))
        del call[rng.randrange(1, len(call) + 1):]
        messages += call
        if len(call) > 1:
            messages.append(answer(rng))
    return messages


def batches(rng, messages):
    """The messages in updates of one to six."""
    position = 0
    while position < len(messages):
        size = rng.choice((1, 1, 2, 2, 2, 3, 6))
        yield messages[position:position + size]
        position += size


def exchanges(messages):
    """The messages in one update an exchange."""
    batch = []
    for message in messages:
        if message["role"] == "user" and batch:
            yield batch
            batch = []
        batch.append(message)
    if batch:
        yield batch


def asked(rng, messages):
    """What is asked next: something new, or what was asked before, or something that only strange white space ends."""
    questions = [message["content"] for message in messages if message["role"] == "user" and message["content"].strip()]
    if questions and rng.random() < 0.15:
        return rng.choice(questions)
    if rng.random() < 0.02:
        return "\u00a0" + said(rng).strip() + "\u3000"
    return said(rng)


def steps(rng, kinds):
    """Updates with requests between them: ("update", messages) and ("context", utterance)."""
    messages = rng.choice(kinds)(rng)
    split = exchanges(messages) if rng.random() < 0.3 else batches(rng, messages)
    played, told = [], []
    for batch in split:
        played.append(("update", batch))
        told += batch
        if rng.random() < 0.25:
            played.append(("context", asked(rng, told)))
    played.append(("context", asked(rng, told)))
    return played
