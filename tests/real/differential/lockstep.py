"""Playing histories to memories that learn from a model: ours behind the conversation, the originals inside it.

Step by step: after each update personad is asked until its context is the wanted one, or its time is up. Both sides
talk to the same endpoint, and have to ask it the same.
"""
import collections
import json
import time

import play

PATIENCE = 10  # seconds, for what a model is asked behind a conversation
SHOWN = 3      # requests that differ


def with_endpoint(module, persona, api_url):
    if hasattr(module, "with_endpoint"):
        return module.with_endpoint(persona, api_url)
    return {**persona, module.MODULE: {**persona[module.MODULE], "api_url": api_url}}


class Player:
    """One history under way: what is still to be played, and what is wanted of the next context."""

    def __init__(self, case, url):
        self.case = case
        self.steps = iter(case.played)
        self.compared = case.module.compared(case.persona, case.played, url)
        self.number = -1
        self.wanted = self.answer = None

    def next_update(self):
        """The requests of the next update, or nothing at the end."""
        step = next(self.steps, None)
        return [] if step is None else list(self.case.requests([step]))

    def next_context(self):
        step = next(self.steps)
        self.number += 1
        self.wanted = next(self.compared)
        self.request = next(iter(self.case.requests([step])))

    def as_wanted(self):
        messages = self.answer.get("result", {}).get("messages")
        if messages is None:
            return False
        return play.without_ids(messages) == play.without_ids(play.resolved(self.wanted, self.answer)[1])


def poll(personad, players):
    """Asks until every context is as wanted, or the time is up."""
    end = time.monotonic() + PATIENCE
    waiting = players
    while waiting:
        for player, answer in zip(waiting, personad.ask_all(player.request for player in waiting)):
            player.answer = answer
        waiting = [player for player in waiting if not player.as_wanted()]
        if waiting:
            if time.monotonic() > end:
                return
            time.sleep(0.005)


def play_cases(personad, cases, url, verdict):
    players = [Player(case, url) for case in cases]
    while players and not verdict.enough():
        updates = {player: player.next_update() for player in players}
        players = [player for player in players if updates[player]]
        personad.ask_all(request for player in players for request in updates[player])
        for player in players:
            player.next_context()
        poll(personad, players)
        players = [player for player in players
                   if not verdict.enough() and verdict.judge(player.case, player.number, player.answer, player.wanted)]


def in_words(request):
    """As text. Ours say that no stream is wanted, which is what it means to say nothing."""
    if request.get("stream") is False:
        request = {key: value for key, value in request.items() if key != "stream"}
    return json.dumps(request, ensure_ascii=False, sort_keys=True)


def compare_requests(endpoint, verdict):
    """What both sides asked the model, once ours has nothing more to ask."""
    count = lambda name: collections.Counter(in_words(request) for request, _ in endpoint.exchanges_of(name))
    end = time.monotonic() + PATIENCE
    while True:
        ours, wanted = count("ours"), count("wanted")
        if ours == wanted or time.monotonic() > end:
            break
        time.sleep(0.02)
    print(f"  {ours.total()} requests to the model, {wanted.total()} wanted, {(ours & wanted).total()} of them equal")
    for title, some in (("only asked by personad", ours - wanted), ("only by the original", wanted - ours)):
        for request in sorted(some)[:SHOWN]:
            print(f"  {title}: {request[:1000]}")
    verdict.wrong += ours != wanted


def play_histories(personad, module, personas, rng, histories, endpoint, verdict):
    for start in range(0, histories, play.AT_ONCE):
        many = min(play.AT_ONCE, histories - start)
        cases = list(play.cases_of(module, personas, rng, start, many))
        play_cases(personad, cases, endpoint.url, verdict)
        verdict.played += many
        if verdict.enough():
            return


def play_module(personad, module, personas, rng, histories, endpoint):
    verdict = play.Verdict(module)
    endpoint.forget()
    play_histories(personad, module, personas, rng, histories, endpoint, verdict)
    if not verdict.wrong:
        compare_requests(endpoint, verdict)
    verdict.say()
    return verdict.wrong
