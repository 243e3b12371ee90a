#include "persona/store/schema.hpp"

#include <array>

namespace persona {
namespace {

constexpr Migration kFirst = R"sql(
CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value) WITHOUT ROWID;
INSERT INTO meta VALUES('store', lower(hex(randomblob(16)))), ('threads', 0), ('turns', 0);

-- Ids are never given out twice: what still refers to a forgotten thread must not find another.
CREATE TABLE threads(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  conversation TEXT NOT NULL,
  persona TEXT NOT NULL,
  turns INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  first REAL NOT NULL,
  last REAL NOT NULL,
  UNIQUE(owner, conversation, persona));

CREATE TABLE turns(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  thread INTEGER NOT NULL REFERENCES threads(id),
  exchange INTEGER NOT NULL,
  exchange_id TEXT,
  timestamp REAL NOT NULL,
  role INTEGER NOT NULL CHECK(role BETWEEN 0 AND 4),
  content TEXT,
  name TEXT,
  type TEXT,
  lang TEXT,
  tool_calls TEXT,
  tool_call_id TEXT,
  meta TEXT);
CREATE INDEX turns_in_window ON turns(thread, exchange, number);

CREATE TABLE active_personas(
  owner TEXT NOT NULL,
  conversation TEXT NOT NULL,
  persona TEXT NOT NULL,
  source TEXT NOT NULL,
  field_seen INTEGER NOT NULL,
  since REAL NOT NULL,
  PRIMARY KEY(owner, conversation)) WITHOUT ROWID;
)sql";

// What is known of a thread beside its turns, and how far it was learnt.
constexpr Migration kNotes = R"sql(
-- The highest number of a row there ever was. How far a thread was learnt from is told in numbers, which therefore are
-- never given out twice, not even those of erased rows.
INSERT INTO meta SELECT 'newest', coalesce(max(max(number), max(exchange)), 0) FROM turns;

CREATE TABLE facts(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  thread INTEGER NOT NULL REFERENCES threads(id),
  fact TEXT NOT NULL,
  key TEXT NOT NULL,
  created REAL NOT NULL,
  source TEXT NOT NULL);
CREATE INDEX facts_alike ON facts(thread, key);
CREATE TABLE fact_turns(
  turn INTEGER NOT NULL,
  fact INTEGER NOT NULL REFERENCES facts(number),
  PRIMARY KEY(turn, fact)) WITHOUT ROWID;
CREATE INDEX turns_of_fact ON fact_turns(fact);

CREATE TABLE summaries(
  thread INTEGER PRIMARY KEY REFERENCES threads(id),
  summary TEXT NOT NULL,
  created REAL NOT NULL);

CREATE TABLE learning(
  thread INTEGER NOT NULL REFERENCES threads(id),
  kind INTEGER NOT NULL,
  upto INTEGER NOT NULL,
  looked INTEGER NOT NULL,
  PRIMARY KEY(thread, kind)) WITHOUT ROWID;
CREATE TABLE jobs(
  thread INTEGER NOT NULL REFERENCES threads(id),
  kind INTEGER NOT NULL,
  marks INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  not_before REAL NOT NULL,
  PRIMARY KEY(thread, kind)) WITHOUT ROWID;
CREATE TRIGGER fact_gone AFTER DELETE ON facts BEGIN
  DELETE FROM fact_turns WHERE fact = old.number;
END;
CREATE TRIGGER thread_gone AFTER DELETE ON threads BEGIN
  DELETE FROM summaries WHERE thread = old.id;
  DELETE FROM learning WHERE thread = old.id;
  DELETE FROM jobs WHERE thread = old.id;
END;
)sql";

// What a character of a game keeps between the steps of a conversation. `memories` are numbers of rows; a feeling's
// weight is what it would have been at the character's first step.
constexpr Migration kCharacters = R"sql(
CREATE TABLE characters(
  thread INTEGER PRIMARY KEY REFERENCES threads(id),
  steps INTEGER NOT NULL,
  generator INTEGER NOT NULL,
  remains REAL NOT NULL,
  counted INTEGER NOT NULL,
  memories TEXT NOT NULL);
CREATE TABLE feelings(
  turn INTEGER NOT NULL,
  emotion TEXT NOT NULL,
  thread INTEGER NOT NULL REFERENCES threads(id),
  weight REAL NOT NULL,
  PRIMARY KEY(turn, emotion)) WITHOUT ROWID;
CREATE INDEX feelings_of_thread ON feelings(thread);
CREATE TABLE ended_conversations(
  thread INTEGER PRIMARY KEY REFERENCES threads(id),
  upto INTEGER NOT NULL);
CREATE TABLE archived_summaries(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  thread INTEGER NOT NULL REFERENCES threads(id),
  summary TEXT NOT NULL,
  upto INTEGER NOT NULL,
  archived REAL NOT NULL);
CREATE INDEX archived_of_thread ON archived_summaries(thread);
CREATE TRIGGER character_gone AFTER DELETE ON threads BEGIN
  DELETE FROM characters WHERE thread = old.id;
  DELETE FROM feelings WHERE thread = old.id;
  DELETE FROM ended_conversations WHERE thread = old.id;
  DELETE FROM archived_summaries WHERE thread = old.id;
END;
)sql";

// Rows of exchanges whose first row is not here, or has an id of its own.
constexpr Migration kExchanges = R"sql(
CREATE INDEX turns_of_exchange ON turns(exchange_id) WHERE exchange_id IS NOT NULL;
)sql";

// The index: where each term was said. Everything in it can be made anew from the turns.
constexpr Migration kIndex = R"sql(
-- Threads that are not indexed yet are indexed behind; see IndexBacklog.
ALTER TABLE threads ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX threads_to_index ON threads(id) WHERE indexed = 0;
INSERT INTO meta VALUES('index', 0);
-- Counts the turns of a thread in the order in which they came; NULL: in no index.
ALTER TABLE turns ADD COLUMN place INTEGER;
CREATE INDEX turns_in_place ON turns(thread, place);
CREATE INDEX turns_by_time ON turns(thread, timestamp);

-- Short names for owners, so that what is kept for one stands together in the index.
CREATE TABLE owners(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL UNIQUE);
CREATE TABLE terms(
  id INTEGER PRIMARY KEY,
  persona TEXT NOT NULL,
  term TEXT NOT NULL,
  UNIQUE(persona, term));
-- A block of postings stands under the address of its first one.
CREATE TABLE postings(
  term INTEGER NOT NULL,
  owner INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  place INTEGER NOT NULL,
  block BLOB NOT NULL,
  PRIMARY KEY(term, owner, thread, place)) WITHOUT ROWID;
-- Of each thread, of each owner (thread 0) and of each persona (owner 0, thread 0).
CREATE TABLE index_statistics(
  persona TEXT NOT NULL,
  owner INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  terms INTEGER NOT NULL,
  languages INTEGER NOT NULL,
  PRIMARY KEY(persona, owner, thread)) WITHOUT ROWID;
CREATE TRIGGER owner_gone AFTER DELETE ON threads
  WHEN NOT EXISTS(SELECT 1 FROM threads WHERE owner = old.owner) BEGIN
  DELETE FROM owners WHERE owner = old.owner;
END;
)sql";

// Embeddings: what a turn means, as one model sees it. Everything here can be made anew from the turns.
constexpr Migration kVectors = R"sql(
INSERT INTO meta VALUES('vectors', 0), ('to_embed', 0);
-- Under thread and place of its turn, as one number: a scope's vectors lie side by side.
CREATE TABLE vectors(
  at INTEGER PRIMARY KEY,
  vector BLOB NOT NULL);
-- Turns that have none yet.
CREATE TABLE to_embed(number INTEGER PRIMARY KEY);
CREATE TRIGGER vector_come AFTER INSERT ON vectors BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'vectors';
END;
CREATE TRIGGER vector_gone AFTER DELETE ON vectors BEGIN
  UPDATE meta SET value = value - 1 WHERE key = 'vectors';
END;
CREATE TRIGGER to_embed_come AFTER INSERT ON to_embed BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'to_embed';
END;
CREATE TRIGGER to_embed_gone AFTER DELETE ON to_embed BEGIN
  UPDATE meta SET value = value - 1 WHERE key = 'to_embed';
END;
-- A vector tells what was said: it goes with the turn, and with its words.
CREATE TRIGGER turn_come AFTER INSERT ON turns
  WHEN new.place IS NOT NULL AND EXISTS(SELECT 1 FROM meta WHERE key = 'embedding_model') BEGIN
  INSERT OR IGNORE INTO to_embed VALUES(new.number);
END;
CREATE TRIGGER turn_gone AFTER DELETE ON turns WHEN old.place IS NOT NULL BEGIN
  DELETE FROM vectors WHERE at = (old.thread << 32) | old.place;
  DELETE FROM to_embed WHERE number = old.number;
END;
CREATE TRIGGER turn_changed AFTER UPDATE OF number, thread, content, name, place ON turns BEGIN
  DELETE FROM vectors WHERE at = (old.thread << 32) | old.place;
  DELETE FROM to_embed WHERE number = old.number;
  INSERT OR IGNORE INTO to_embed SELECT new.number
    WHERE new.place IS NOT NULL AND EXISTS(SELECT 1 FROM meta WHERE key = 'embedding_model');
END;
)sql";

constexpr std::array kMigrations{kFirst, kNotes, kCharacters, kExchanges, kIndex, kVectors};

std::string stamp(std::size_t version) {
  return "PRAGMA application_id = " + std::to_string(kApplicationId) +
         "; PRAGMA user_version = " + std::to_string(version);
}

}  // namespace

std::span<const Migration> migrations() {
  return kMigrations;
}

Origin origin_of(SqliteConnection& connection, std::size_t newest_version) {
  const auto application = connection.number("PRAGMA application_id");
  const auto version = connection.number("PRAGMA user_version");
  const auto tables = connection.number("SELECT count(*) FROM sqlite_master");
  if (!application || !version || !tables) return Origin::unreadable;
  if (*application == 0 && *version == 0 && *tables == 0) return Origin::empty;
  if (*application != kApplicationId || *version < 0) return Origin::foreign;
  return static_cast<std::size_t>(*version) > newest_version ? Origin::newer : Origin::ours;
}

boost::system::result<void, std::string> migrate(SqliteConnection& connection, std::span<const Migration> steps) {
  using Result = boost::system::result<void, std::string>;
  const auto version = connection.number("PRAGMA user_version");
  if (!version) return Result(boost::system::in_place_error, connection.error());
  for (auto next = static_cast<std::size_t>(*version); next < steps.size(); ++next) {
    const bool done = connection.execute("BEGIN IMMEDIATE") && connection.execute(steps[next]) &&
                      connection.execute(stamp(next + 1).c_str()) && connection.execute("COMMIT");
    if (done) continue;
    std::string error = connection.error();
    connection.execute("ROLLBACK");
    return Result(boost::system::in_place_error, "cannot be brought from version " + std::to_string(next) + " to " +
                                                     std::to_string(next + 1) + ": " + error);
  }
  return {};
}

}  // namespace persona
