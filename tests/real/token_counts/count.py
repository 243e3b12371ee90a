"""Counts tokens: reads a JSON array of texts, writes an array of [cl100k_base, o200k_base]."""
import json
import sys

import bpe_openai

ENCODINGS = [bpe_openai.get_encoding(name) for name in ("cl100k_base", "o200k_base")]

if __name__ == "__main__":
    print(json.dumps([[len(one.encode(text)) for one in ENCODINGS] for text in json.load(sys.stdin)]))
