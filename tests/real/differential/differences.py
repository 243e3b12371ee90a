"""Where personad differs from the originals on purpose, and how often it mattered.

Each name is a small, exact change of what the original is told or of what it says; nothing is compared loosely.
"""
import collections

REASONS = {
    "each message": ("the originals' rules for neighbours look at the first message of a batch, ours at each",
                     "the same messages give the same history, in however many batches they come"),
    "empty part": ("an answer joined to an empty one keeps no newline between them",
                   "an empty row says nothing"),
    "one answer": ("the family keeps neighbouring answers apart; in a context the parts of an answer are one message",
                   "models refuse two messages of one role in a row"),
    "orphan answers": ("an answer whose question the window cut off is dropped",
                       "models refuse a history that begins with an answer"),
    "whole calls": ("a tool call without all its results, and a result without its call, are dropped",
                    "models refuse them"),
    "prompt trimmed": ("the family's retrievers leave white space at the ends of the system prompt, and show a blank "
                       "one",
                       "it says nothing, and the other originals trim it"),
    "white space": ("only ASCII white space at the ends of an utterance is cut off",
                    "the rest of Unicode's is text"),
    "scope": ("recall is in this conversation unless the persona says otherwise; there in every conversation",
              "no conversation sees another's by default"),
    "whole chunks": ("an exchange is recalled whole: its question, and all of its answer; there each message of an "
                     "answer is apart, and the question is empty when it left the window before the answer came",
                     "half an exchange misleads"),
    "whole exchanges": ("a model is asked once about a whole exchange; there once for each message of its answer",
                        "facts are in what the user said, and each question costs a call"),
    "ranked anew": ("exchanges are ranked by the forms of their words, by who said them, when, and what was said around "
                    "them, and fused in that order; there by SQLite's bm25, or a model",
                    "in conversations of people it finds more of what is asked for"),
    "fixed order": ("what members of a composite give is ordered: prompts, facts, summary; there by member",
                    "a context has one order, whoever wrote the persona file"),
    "shown once": ("an exchange that is in the history part is not recalled as well, and makes room for the next",
                   "the same words twice cost tokens and add nothing"),
}


class Tally:
    """Counts, for one module, how the contexts came to be equal."""

    def __init__(self):
        self.as_they_are = 0
        self.through = collections.Counter()
        self.changed = 0

    def count(self, original, wanted, names):
        """One context: what the original says untouched, what is wanted of personad, and the differences between."""
        if original == wanted:
            self.as_they_are += 1
            return
        if not names:
            raise AssertionError(f"the original's side was changed without a name for it:\n{original}\n{wanted}")
        self.changed += 1
        self.through.update(names)

    def lines(self):
        yield (f"  {self.as_they_are} contexts equal to the original's as they are, "
               f"{self.changed} through named differences")
        for name, times in sorted(self.through.items()):
            what, why = REASONS[name]
            yield f"    {times:6} {name}: {what} ({why})"
