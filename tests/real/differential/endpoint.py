"""A model endpoint on loopback that answers from the question alone, so that whoever asks the same is told the same."""
import hashlib
import http.server
import json
import re
import threading

MODEL = "model-of-the-list"
HABITS = ("likes", "owns", "is called", "lives near", "never eats", "works with")


def digest(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def facts_of(prompt):
    """A JSON array of facts from the words of the user's line, in one of the shapes that models choose."""
    said = re.search(r"^User: (.*)$", prompt, re.MULTILINE)
    words = said.group(1).split() if said else []
    facts = [f"{HABITS[digest(word) % len(HABITS)]} {word}" for word in words if digest(word) % 3]
    shape = digest(prompt) % 6
    if shape == 0 and facts:
        facts.append(facts[0].upper())
    if shape == 1:
        facts += [" padded fact ", "", "...", 7, None]
    array = json.dumps(facts, ensure_ascii=shape % 2 == 0)
    if shape == 2:
        return f"Here is what I found:\n```json\n{array}\n```\nAnything else?"
    if shape == 3:
        return f"[not json] {array} and [\"speaks softly\"]"
    if shape == 4:
        return "The user said nothing about themselves."
    return array


def summary_of(prompt):
    return f"  They talked about {digest(prompt):x}.\nIt took {prompt.count(chr(10))} lines.\n"


class Endpoint:
    """Serves `/NAME/v1` for any NAME, and keeps the chat requests of each."""

    def __init__(self, says=None):
        """`says`: the answer to a prompt."""
        self.says = says or (lambda prompt: facts_of(prompt) if "User: " in prompt else summary_of(prompt))
        self.asked = {}
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def url(self, name):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{name}/v1"

    def exchanges_of(self, name):
        """(request, text of the answer), in order."""
        with self.lock:
            return list(self.asked.get(name, ()))

    def forget(self):
        with self.lock:
            self.asked.clear()

    def keep(self, path, request, says):
        with self.lock:
            self.asked.setdefault(path.split("/")[1], []).append((request, says))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def handler(endpoint):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self, body):
                text = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self):
                self.answer({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                says = endpoint.says(request["messages"][-1]["content"])
                endpoint.keep(self.path, request, says)
                self.answer({"choices": [{"index": 0, "message": {"role": "assistant", "content": says}}]})

            def log_message(self, *_):
                pass

        return Handler
