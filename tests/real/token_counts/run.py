#!/usr/bin/env python3
"""Compares the `tokens` of contexts with real byte-pair counts: personad's estimate is never below them.

run.py --work DIR --personad FILE

The counts are gpt-tokenizer's where node is there, else bpe-openai's, each installed into DIR. Leaves with 77 (which
ctest reads as skipped) and one line that says why where neither can be had. The texts are in texts/, one for each kind,
apart by blank lines.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "differential"))
import run as environments  # noqa: E402
from daemon import Personad  # noqa: E402

GPT_TOKENIZER = "gpt-tokenizer@4.0.0"
INSTALL_LIMIT = 300  # seconds
PER_MESSAGE = 4  # docs/contexts.md: what every message costs beside its text
# The least that the estimate may be of the real count. Texts of nothing but rare characters come out lower.
LEAST = {"rare": 0.8}


def counter_of_node(work):
    """The command that counts with gpt-tokenizer, or None."""
    if not shutil.which("node") or not shutil.which("npm"):
        return None
    folder = work / "node"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n')
    install = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", GPT_TOKENIZER]
    try:
        done = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=INSTALL_LIMIT)
    except subprocess.TimeoutExpired:
        return None
    return ["node", str(HERE / "count.mjs"), str(folder)] if done.returncode == 0 else None


def counter(work):
    command = counter_of_node(work)
    if command:
        print(f"counted by {GPT_TOKENIZER}")
        return command
    python = environments.install(work / "venv", HERE / "requirements.txt")
    print("counted by bpe-openai")
    return [str(python), str(HERE / "count.py")]


def texts_of(path):
    """Each text of a file, the lines of each, and all of it."""
    whole = path.read_text().strip()
    texts = [text.strip() for text in whole.split("\n\n") if text.strip()]
    lines = [line.strip() for text in texts for line in text.split("\n") if line.strip()]
    return list(dict.fromkeys([*texts, *lines, whole]))


def real_counts(command, texts):
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"the counter failed:\n{done.stderr}")
    return [max(pair) for pair in json.loads(done.stdout)]


def estimates(personad, texts):
    """What personad counts for a context that is one message."""
    answers = personad.ask_all(("ovos.memory.context", {"utterance": text, "persona_id": "plain", "session_id": "s"})
                               for text in texts)
    for text, answer in zip(texts, answers):
        if answer["result"]["messages"] != [{"role": "user", "content": text}]:
            sys.exit(f"not one message of the text: {answer}")
    return [answer["result"]["tokens"] - PER_MESSAGE for answer in answers]


def judge(kind, texts, real, estimated):
    """How many texts are counted too low; prints the margins."""
    ratios = [low / high for low, high in zip(estimated, real)]
    print(f"{kind:10} {len(texts):3} texts, {sum(real):6} tokens; estimate / real: "
          f"{sum(estimated) / sum(real):.2f} in all, {min(ratios):.2f} at least, {max(ratios):.2f} at most")
    low = [(ratio, text) for ratio, text in zip(ratios, texts) if ratio < LEAST.get(kind, 1)]
    for ratio, text in sorted(low):
        print(f"  TOO LOW ({ratio:.2f}): {text[:200]!r}")
    return len(low)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--personad", required=True)
    arguments = parser.parse_args()
    command = counter(arguments.work.resolve())
    low = 0
    with Personad(arguments.personad, {"plain": {"memory_module": None}}) as personad:
        for path in sorted((HERE / "texts").glob("*.txt")):
            texts = texts_of(path)
            low += judge(path.stem, texts, real_counts(command, texts), estimates(personad, texts))
    if low:
        sys.exit(f"{low} texts have more tokens than personad says")


if __name__ == "__main__":
    main()
