"""ovos-memory-plugins' LocalRAGMemory against `ovos-memory-plugin-local-rag`, with stand-ins for embeddings and their
database: texts are the nearer the more words they share, and have nothing in common without one."""
import math
import re

from ovos_memory_plugins.local_rag import LocalRAGMemory

import lexical
import retrieval

MODULE = "ovos-memory-plugin-local-rag"
SHARE = 1  # of all histories, in parts
RANKS = True
steps = retrieval.steps


def settings(rng):
    return {"memory_module": MODULE, MODULE: retrieval.settings(rng)}


class Words:
    """An embedder: one dimension for each word, but for those that mark the parts of a chunk."""

    def __init__(self):
        self.places = {}

    def get_embeddings(self, text):
        vector = [0.0] * 512
        for word in re.findall(r"[^\W_]+", text.lower()):
            if word not in ("q", "a"):
                vector[self.places.setdefault(word, len(self.places))] = 1.0
        length = math.sqrt(sum(vector)) or 1.0
        return [one / length for one in vector]


class Nearest:
    """An embeddings database that compares with everything it has."""

    def __init__(self):
        self.rows = []

    def create_collection(self, _name):
        pass

    def add_embeddings(self, key, embedding, metadata, collection_name):
        self.rows.append((key, embedding, metadata))

    def query(self, embedding, top_k, return_metadata, collection_name):
        near = [(key, 1 - sum(a * b for a, b in zip(embedding, row)), metadata) for key, row, metadata in self.rows]
        return sorted((one for one in near if one[1] < 1), key=lambda one: one[1])[:top_k]


def memory(config):
    return LocalRAGMemory({**config, "_embedder": Words(), "_db": Nearest()})


def compared(persona, played):
    """For each context asked for: (the original's, what is wanted, the differences between)."""
    return lexical.compared_with(memory, persona[MODULE], played)
