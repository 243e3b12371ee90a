#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "persona/active_persona.hpp"
#include "persona/heard.hpp"
#include "persona/held_prompts.hpp"
#include "persona/keys.hpp"
#include "persona/memory/assembly.hpp"
#include "persona/personas.hpp"
#include "persona/store/archive.hpp"
#include "persona/thread_window.hpp"
#include "persona/turn_recorder.hpp"

namespace persona {

class QuestionMeanings;

template <class T>
using Answer = std::function<void(StoreResult<T>)>;

/// A message given to be stored, already checked.
struct NewMessage {
  Role role = Role::user;
  std::string content;
  bool null_content = false;
  std::string name, type, lang, tool_calls, tool_call_id, meta;
  std::optional<double> timestamp;  ///< unix seconds; absent: when it arrived
};

struct ContextAsk {
  std::string persona_id;
  std::string utterance;
  std::string lang;          ///< of the utterance, BCP 47; empty: that of its exchange, where it is open
  std::string utterance_id;  ///< of the asker's own exchange, where its frame has one
  Number number = 0;         ///< of the request: what came later does not count
  Moment at;
  bool with_system_prompt = true;
  ContextLimits limits;
};

/// Contexts that were less than they could have been, since something failed.
struct DegradedContexts {
  std::uint64_t without_recollection = 0;  ///< the store could not be read: no facts, no summary, nothing recalled
  std::uint64_t without_program = 0;       ///< a memory of others did not answer: the plain window
  std::uint64_t not_forgotten = 0;         ///< a memory of others did not say that it forgot what it had to
};

/// What all conversations share. Each outlives them.
struct Surroundings {
  Archive* archive = nullptr;
  const Personas* personas = nullptr;
  const RecordingRules* rules = nullptr;
  IdSource* ids = nullptr;
  RecorderCounts* counts = nullptr;
  /// Called for every row recorded or stored, after it was handed to the archive.
  std::function<void(const ThreadKey&, const TurnPtr&)> on_turn;
  DegradedContexts* degraded = nullptr;
  /// Called when there is something to learn from a thread's exchanges before a number (0: from all).
  std::function<void(const ThreadKey&, Number)> on_learnable;
  /// Called when `Conversations::tick` is due at this time, or earlier than was said before.
  std::function<void(std::chrono::steady_clock::time_point)> on_due;
  /// Called when rows were handed to the archive, or erased there.
  std::function<void()> on_rows = nullptr;
  QuestionMeanings* meanings = nullptr;  ///< of what contexts look for; null: it is looked for by its words alone
};

/// One conversation while it is in use: who is active in it, what is being said, and windows on its threads.
///
/// Everything durable is in the archive; a Conversation can be dropped whenever it is `idle` and made again later.
/// Threading: io thread; events and requests in arrival order. Lifetime: callbacks given to the archive hold a weak
/// reference, so dropping it early loses answers, never memory safety.
class Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  Conversation(const Surroundings& around, ConversationKey key, ActivePersona::State active);

  [[nodiscard]] const ConversationKey& key() const { return key_; }
  [[nodiscard]] const ActivePersona& active() const { return active_; }
  /// Whose thread is meant when nobody is named: the active persona's, else the default one's.
  [[nodiscard]] const std::string& persona_id() const;

  void hear(const Heard& heard);
  void gap(Moment at);
  void tick(Moment now);
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> deadline() const { return recorder_.deadline(); }

  /// A switch by request, "by event"; an empty id dismisses. Returns the persona that was active before.
  std::string switch_persona(std::string_view id, Number number, Moment at);

  void context(ContextAsk ask, Answer<Context> answer);
  /// Turns that belong to a question, best first, in this conversation's scopes of a persona's memory.
  void search(const std::string& persona_id, RecallAsk ask, Answer<std::vector<Hit>> answer);
  /// Remembers a fact in a persona's thread, unless it is known there; answers once durable.
  void remember(const std::string& persona_id, std::string fact, Moment at, Answer<Remembered> answer);
  /// What a character thinks of before its next answer; nothing where this persona is no character. `newest` are the
  /// messages that the asker sees, where it says them; rows from `number` on do not count.
  void before_step(const std::string& persona_id, std::vector<ContextMessage> newest, Number number,
                   Answer<CharacterMemories> answer);
  /// A conversation with a character reached its limit or ended: it is summarised later, if the character does that.
  void reached_limit(const std::string& persona_id, Number number, Answer<EndedConversation> answer);
  /// Stores messages in order, at the numbers from `first` on; answers with their ids once durable.
  void update(const std::string& persona_id, std::vector<NewMessage> messages, Number first, Moment at,
              Answer<std::vector<std::string>> answer);
  /// Rows of a persona's thread were imported: what is known of it here is read again.
  void imported(const std::string& persona_id);
  void history(const std::string& persona_id, std::size_t limit, std::optional<std::string> before,
               Answer<TurnPage> answer);

  [[nodiscard]] bool idle() const;
  /// A window is being read, or something else that somebody waits for.
  [[nodiscard]] bool loading() const;
  [[nodiscard]] std::size_t memory() const;
  /// Rows are there for the first time: a persona whose memory is a program has it told.
  static void tell_program(const Persona& persona, const ThreadKey& thread, std::span<const TurnPtr> turns);
  /// Drops the windows that nobody waits for; they are read again when needed.
  void drop_windows();

 private:
  void follow_persona(const Heard& heard);
  void follow_prompts(const Heard& heard);
  [[nodiscard]] std::string persona_called(const std::string& name) const;
  void record(const Heard& heard, RecorderActions& out);
  void carry_out(const RecorderActions& actions);
  void keep_active_if_changed();
  [[nodiscard]] const Persona& persona_of(std::string_view id) const { return around_.personas->of_id(id); }
  void store_messages(const std::string& persona, const Window& window, std::vector<NewMessage> messages, Number first,
                      Moment at, Answer<std::vector<std::string>> answer);
  ThreadWindow& thread(const std::string& persona);
  void recollect(std::shared_ptr<const Memory> memory, const Window& window, std::optional<Number> left_out,
                 ContextAsk ask, Answer<Context> answer);
  /// A context whose memory waits for what it wants beside the window.
  struct Recollecting {
    std::shared_ptr<const Memory> memory;
    Window window;
    Recollection known;
    std::optional<Number> left_out;
    std::uint64_t erasures = 0;
    bool asked_again = false;
    ContextAsk ask;
    Answer<Context> answer;
  };
  void recollect(Wants wants, Recollecting what);
  void with_meanings(const ThreadKey& key, std::vector<RecallAsk> asks,
                     std::function<void(std::vector<RecallAsk>)> then);
  void ask_program(std::shared_ptr<const Memory> memory, const Window& window, std::optional<Number> left_out,
                   ContextAsk ask, Answer<Context> answer);
  void tell_anew(const std::string& persona);
  void tell(const ThreadKey& thread, std::span<const TurnPtr> turns);
  [[nodiscard]] LearningKinds learnt_from(const std::string& persona, const Turn& turn);
  void say_what_is_learnable();

  const Surroundings& around_;
  ConversationKey key_;
  ActivePersona active_;
  ActivePersona::State kept_;
  TurnRecorder recorder_;
  HeldPrompts prompts_;
  std::map<std::string, ThreadWindow, std::less<>> threads_;
  std::set<std::string, std::less<>> learnable_;  // personas with rows that nobody was told of
  std::optional<Number> told_open_;               // the oldest open exchange when they were last told
  std::size_t asking_ = 0;      // questions not answered yet: until then this must stay, to know what was erased
  std::uint64_t erasures_ = 0;  // what was read before one may hold what it erased
};

}  // namespace persona
