"""Where personad differs from the originals on purpose, and how often it mattered.

Each name is a small, exact change of what the original is told or of what it says; nothing is compared loosely.
"""
import collections

REASONS = {
    "each message": ("the originals' rules for neighbours look at the first message of a batch, ours at each",
                     "the same messages give the same history, in however many batches they come"),
    "empty part": ("an answer joined to an empty one keeps no newline between them",
                   "an empty row says nothing"),
    "folded": ("the family keeps neighbouring questions and answers as they came; here a question replaces an unanswered "
               "one and the parts of an answer are one message, before anything is counted or cut",
               "one rule for all memories; models refuse two messages of one role in a row"),
    "orphan answers": ("an answer whose question the window cut off is dropped",
                       "models refuse a history that begins with an answer"),
    "whole calls": ("a tool call without all its results, and a result without its call, are dropped",
                    "models refuse them"),
    "prompt trimmed": ("the family's retrievers leave white space at the ends of the system prompt, and show a blank one",
                       "it says nothing, and the other originals trim it"),
    "white space": ("only ASCII white space at the ends of an utterance is cut off",
                    "the rest of Unicode's is text"),
    "scope": ("recall is in this conversation unless the persona says otherwise; there in every conversation",
              "no conversation sees another's by default"),
    "orphan chunks": ("an answer whose question is not known is not recalled",
                      "half an exchange misleads; there it is stored with an empty question"),
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
        yield f"  {self.as_they_are} contexts equal to the original's as they are, {self.changed} through named differences"
        for name, times in sorted(self.through.items()):
            what, why = REASONS[name]
            yield f"    {times:6} {name}: {what} ({why})"
