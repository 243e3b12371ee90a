"""Playing histories to personad, and judging the contexts that it answers with."""
import json
import re
import time

import differences
import retrieval
from daemon import NotAnswered

AT_ONCE = 100  # histories
ENOUGH = 3     # differences of a module; after so many it stops


class Case:
    """One history: a session, a persona's settings, and what is played."""

    def __init__(self, module, number, persona_id, persona, played):
        self.module, self.session = module, f"{module.__name__}-{number}"
        self.persona_id, self.persona, self.played = persona_id, persona, played

    def requests(self, played=None):
        for kind, what, *where in self.played if played is None else played:
            session = "-".join([self.session, *where])
            where = {"session_id": session, "persona_id": self.persona_id}
            if kind == "update":
                yield "ovos.memory.update", {"messages": what, **where}
            else:
                explain = {"explain": True} if getattr(self.module, "RANKS", False) else {}
                yield "ovos.memory.context", {"utterance": what, **explain, **where}

    def up_to(self, contexts):
        """What was played until context number `contexts` was asked for."""
        seen = 0
        for step in self.played:
            kind, what = step[0], step[1:]
            yield kind, what
            seen += kind == "context"
            if seen > contexts:
                return


SOURCES = re.compile(r"\[(?:[a-z]+_\d+|[0-9A-Z]{26})\]")


def without_ids(messages):
    """The same messages with tool call ids by order of appearance (ours are hashes, theirs are counters), and without
    the names of sources (ours are exchanges, theirs are counted)."""
    names = {}
    name = lambda one: names.setdefault(one, f"call {len(names)}")
    numbered = []
    for message in messages:
        message = {**message, "content": SOURCES.sub("[source]", message["content"])}
        if "tool_calls" in message:
            message["tool_calls"] = [{**call, "id": name(call["id"])} for call in message["tool_calls"]]
        if "tool_call_id" in message:
            message["tool_call_id"] = name(message["tool_call_id"])
        numbered.append(message)
    return numbered


def resolved(compared, answer):
    """(the original's, what is wanted, the differences between), where the order of what is recalled is personad's."""
    original, wanted, names = compared
    if isinstance(wanted, retrieval.Recalled):
        wanted, names = wanted.of([one["text"] for one in answer["result"]["recalled"]])
    return original, wanted, names


def show(case, number, original, wanted, got, names):
    lines = [f"DIFFERENT ({case.module.MODULE}, session {case.session})",
             f"differences that apply: {sorted(names) or 'none'}",
             f"persona {json.dumps(case.persona, ensure_ascii=False)}"]
    lines += [f"  {kind:8}{json.dumps(what, ensure_ascii=False)}" for kind, what in case.up_to(number)]
    for title, messages in (("original", original), ("wanted", wanted), ("personad", got)):
        lines.append(title)
        lines += [f"  {json.dumps(message, ensure_ascii=False)}" for message in messages]
    print("\n".join(line if len(line) < 2000 else line[:2000] + " ..." for line in lines), flush=True)


class Verdict:
    """What was found in the contexts of one module."""

    def __init__(self, module):
        self.module = module
        self.tally = differences.Tally()
        self.wrong = self.played = 0
        self.started = time.monotonic()

    def enough(self):
        return self.wrong >= ENOUGH

    def judge(self, case, number, answer, compared):
        """True when personad's answer is as wanted."""
        if "error" in answer:
            raise NotAnswered(f"{case.session}: {answer['error']}")
        original, wanted, names = resolved(compared, answer)
        got = without_ids(answer["result"]["messages"])
        original, wanted = without_ids(original), without_ids(wanted)
        if got == wanted:
            self.tally.count(original, wanted, names)
            return True
        show(case, number, original, wanted, got, names)
        self.wrong += 1
        return False

    def say(self):
        print(f"{'FAILED' if self.wrong else 'ok'}: {self.module.MODULE}: {self.played} histories, "
              f"{time.monotonic() - self.started:.1f} s")
        print("\n".join(self.tally.lines()), flush=True)


def cases_of(module, personas, rng, first, many):
    for number in range(first, first + many):
        persona_id = list(personas)[number % len(personas)]
        yield Case(module, number, persona_id, personas[persona_id], module.steps(rng, personas[persona_id]))


def judge_all(case, answers, verdict):
    """The contexts of a history that was played in one go; after one that differs the rest differs for its reason."""
    answers = [answer for answer, step in zip(answers, case.played) if step[0] == "context"]
    compared = case.module.compared(case.persona, case.played)
    for number, (answer, one) in enumerate(zip(answers, compared, strict=True)):
        if not verdict.judge(case, number, answer, one):
            return


def answers_to(personad, cases):
    """The answers to each case's requests. One of several conversations waits for what it asked the others to store."""
    if not hasattr(cases[0].module, "SESSIONS"):
        answers = iter(personad.ask_all(request for case in cases for request in case.requests()))
        return [[next(answers) for _ in case.played] for case in cases]
    answers = [[] for _ in cases]
    for step in range(max(len(case.played) for case in cases)):
        playing = [(got, request) for got, case in zip(answers, cases)
                   for request in case.requests(case.played[step:step + 1])]
        for (got, _), answer in zip(playing, personad.ask_all(request for _, request in playing)):
            got.append(answer)
    return answers


def play(personad, module, personas, rng, histories):
    verdict = Verdict(module)
    for start in range(0, histories, AT_ONCE):
        cases = list(cases_of(module, personas, rng, start, min(AT_ONCE, histories - start)))
        for case, answers in zip(cases, answers_to(personad, cases)):
            judge_all(case, answers, verdict)
            verdict.played += 1
            if verdict.enough():
                break
        if verdict.enough():
            break
    verdict.say()
    return verdict.wrong
