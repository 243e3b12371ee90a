#!/usr/bin/env python3
"""Plays the same random histories to personad and to the released Python memories, and compares every context.

compare.py --personad FILE [--seed N] [--histories N] [--module NAME ...]

Contexts have to be equal message by message. Where personad differs on purpose, the original's side is changed first,
by the small exact rules that are named in differences.py; how often each mattered is printed at the end.
"""
import argparse
import random
import sys

import composite
import composite_learning
import entity
import lexical
import lexical_global
import lockstep
import longterm
import play
import recency
import short_term
from daemon import Personad
from endpoint import Endpoint

MODULES = {module.__name__: module
           for module in (short_term, recency, lexical, lexical_global, composite, entity, longterm,
                          composite_learning)}
PERSONAS = 60  # of each module, each with other settings, unless a module's histories need one each


def check_known(personad):
    """Every persona file that was written has to be there, without a warning."""
    bad = [one for one in personad.ask("ovos.memory.personas")["personas"] if one.get("warning")]
    for one in bad[:10]:
        print(f"warning of {one['persona_id']}: {one['warning']}")
    return len(bad)


def learns(module):
    return getattr(module, "LEARNS", False)


def as_file(module, persona, endpoint):
    return lockstep.with_endpoint(module, persona, endpoint.url("ours")) if learns(module) else persona


def play_all(personad, modules, personas, rngs, histories, endpoint):
    """How many differences there are."""
    wrong = check_known(personad)
    for name, module in modules.items():
        many = module.HISTORIES if hasattr(module, "HISTORIES") else max(1, histories * module.SHARE // 4)
        if learns(module):
            wrong += lockstep.play_module(personad, module, personas[name], rngs[name], many, endpoint)
        else:
            wrong += play.play(personad, module, personas[name], rngs[name], many)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--personad", required=True)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--histories", type=int, default=2000)
    parser.add_argument("--module", action="append", choices=list(MODULES))
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    modules = {name: MODULES[name] for name in arguments.module or MODULES}
    rngs = {name: random.Random(f"{seed} {name}") for name in modules}
    personas = {name: {f"{name}-p{number}": module.settings(rngs[name])
                       for number in range(getattr(module, "HISTORIES", PERSONAS))} for name, module in modules.items()}
    with Endpoint() as endpoint:
        files = {persona_id: as_file(module, persona, endpoint)
                 for name, module in modules.items() for persona_id, persona in personas[name].items()}
        with Personad(arguments.personad, files) as personad:
            wrong = play_all(personad, modules, personas, rngs, arguments.histories, endpoint)
    if wrong:
        sys.exit(f"seed {seed}: personad and the originals differ")


if __name__ == "__main__":
    main()
