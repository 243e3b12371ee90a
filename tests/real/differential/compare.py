#!/usr/bin/env python3
"""Plays the same random histories to personad and to the released Python memories, and compares every context.

compare.py --personad FILE [--seed N] [--histories N] [--module NAME ...]

Contexts have to be equal message by message. Where personad differs on purpose, the original's side is changed first, by
the small exact rules that are named in differences.py; how often each mattered is printed at the end.
"""
import argparse
import json
import random
import sys
import time

import differences
import short_term
from daemon import NotAnswered, Personad

MODULES = {"short_term": short_term}
PERSONAS = 60  # of each module, each with other settings
ENOUGH = 3     # differences; after so many it stops


class Case:
    """One history: a session, a persona's settings, and what is played."""

    def __init__(self, module, session, persona_id, persona, played):
        self.module, self.session, self.persona_id = module, session, persona_id
        self.persona, self.played = persona, played

    def requests(self):
        where = {"session_id": self.session, "persona_id": self.persona_id}
        for kind, what in self.played:
            if kind == "update":
                yield "ovos.memory.update", {"messages": what, **where}
            else:
                yield "ovos.memory.context", {"utterance": what, **where}

    def up_to(self, contexts):
        """What was played until context number `contexts` was asked for."""
        seen = 0
        for kind, what in self.played:
            yield kind, what
            seen += kind == "context"
            if seen > contexts:
                return


def numbered_calls(messages):
    """The same messages with tool call ids by order of appearance: ours are hashes, theirs are counters."""
    names = {}
    name = lambda one: names.setdefault(one, f"call {len(names)}")
    numbered = []
    for message in messages:
        message = dict(message)
        if "tool_calls" in message:
            message["tool_calls"] = [{**call, "id": name(call["id"])} for call in message["tool_calls"]]
        if "tool_call_id" in message:
            message["tool_call_id"] = name(message["tool_call_id"])
        numbered.append(message)
    return numbered


def show(case, number, original, wanted, got, names):
    lines = [f"DIFFERENT ({case.module}, session {case.session}), differences that apply: {sorted(names) or 'none'}",
             f"persona {json.dumps(case.persona, ensure_ascii=False)}"]
    lines += [f"  {kind:8}{json.dumps(what, ensure_ascii=False)}" for kind, what in case.up_to(number)]
    for title, messages in (("original", original), ("wanted", wanted), ("personad", got)):
        lines.append(title)
        lines += [f"  {json.dumps(message, ensure_ascii=False)}" for message in messages]
    print("\n".join(line if len(line) < 2000 else line[:2000] + " ..." for line in lines), flush=True)


def compare(case, answers, tally):
    """How many contexts differ."""
    wrong = 0
    answers = [answer for answer, (kind, _) in zip(answers, case.played) if kind == "context"]
    compared = MODULES[case.module].compared(case.persona, case.played)
    for number, (answer, (original, wanted, names)) in enumerate(zip(answers, compared, strict=True)):
        if "error" in answer:
            raise NotAnswered(f"{case.session}: {answer['error']}")
        got = numbered_calls(answer["result"]["messages"])
        original, wanted = numbered_calls(original), numbered_calls(wanted)
        if got == wanted:
            tally.count(original, wanted, names)
        else:
            show(case, number, original, wanted, got, names)
            wrong += 1
            break  # what comes after it differs for the same reason
    return wrong


def play(personad, name, personas, rng, histories):
    module = MODULES[name]
    tally = differences.Tally()
    wrong = played = 0
    started = time.monotonic()
    for start in range(0, histories, 100):
        cases = []
        for number in range(start, min(start + 100, histories)):
            persona_id = rng.choice(list(personas))
            cases.append(Case(name, f"{name}-{number}", persona_id, personas[persona_id],
                              module.steps(rng, personas[persona_id])))
        requests = [request for case in cases for request in case.requests()]
        answers = iter(personad.ask_all(requests))
        for case in cases:
            wrong += compare(case, [next(answers) for _ in case.played], tally)
            played += 1
            if wrong >= ENOUGH:
                break
        if wrong >= ENOUGH:
            break
    print(f"{'FAILED' if wrong else 'ok'}: {module.MODULE}: {played} histories, {time.monotonic() - started:.1f} s")
    print("\n".join(tally.lines()), flush=True)
    return wrong


def check_known(personad):
    """Every persona file that was written has to be there, without a warning."""
    bad = [one for one in personad.ask("ovos.memory.personas")["personas"] if one.get("warning")]
    for one in bad[:10]:
        print(f"warning of {one['persona_id']}: {one['warning']}")
    return len(bad)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--personad", required=True)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--module", action="append", choices=list(MODULES))
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    names = arguments.module or list(MODULES)
    rngs = {name: random.Random(f"{seed} {name}") for name in names}
    personas = {name: {f"{name}-p{number}": MODULES[name].settings(rngs[name]) for number in range(PERSONAS)}
                for name in names}
    with Personad(arguments.personad, {key: one for some in personas.values() for key, one in some.items()}) as personad:
        wrong = check_known(personad)
        for name in names:
            wrong += play(personad, name, personas[name], rngs[name], arguments.histories * MODULES[name].SHARE)
    if wrong:
        sys.exit(f"seed {seed}: personad and the originals differ")


if __name__ == "__main__":
    main()
