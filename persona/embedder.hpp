#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "persona/memory/embedding_model.hpp"
#include "persona/moment.hpp"
#include "persona/store/archive.hpp"

namespace persona {

/// What an operator should know about embeddings.
struct EmbedderStatus {
  std::uint64_t embedded = 0;  ///< turns that can be found by their meaning
  std::uint64_t waiting = 0;   ///< turns that have no embedding yet
  std::uint64_t failed = 0;    ///< attempts; each is made again
  std::uint64_t given_up = 0;  ///< turns that the model gives nothing for
  std::string trouble;         ///< why the last attempt failed; empty: it did not
};

/// Gives what was said its embeddings, behind the conversations: asks the archive for turns that have none, newest
/// first, and the model for their places. What waits is in the archive, so a restart goes on with it.
///
/// A model in this process works where the turns are stored; an endpoint is asked for a few texts at a time, one
/// question after the other, so that it has time for others: as many as it answers in a moment. An endpoint that is
/// down loses nothing. A text that is refused by itself again and again, while others are not, gets none.
/// Threading: io thread.
class Embedder {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Clock = std::function<Moment()>;
  /// `on_due` is called when `tick` is due at this time, or earlier than was said before.
  Embedder(Archive& archive, EmbeddingModel model, LanguageModels& models, Clock clock,
           std::function<void(Time)> on_due);
  ~Embedder();
  Embedder(const Embedder&) = delete;
  Embedder& operator=(const Embedder&) = delete;

  /// Something was said, or went: called whenever rows were handed to the archive. The first call begins.
  void wake();
  void tick();
  void stop() { stopped_ = true; }
  [[nodiscard]] const EmbedderStatus& status() const { return status_; }
  [[nodiscard]] const EmbeddingModel& model() const { return model_; }

  static constexpr std::size_t kMostAtOnce = 64;     ///< texts
  static constexpr std::uint32_t kMostRefusals = 3;  ///< of one text, before it is given up

 private:
  using Texts = std::vector<Unembedded>;

  void next();
  void rest();
  void ask(UnembeddedTurns found);
  void answered(Texts texts, Time asked, ModelResult<LanguageModels::Vectors> answer);
  void refused(const Texts& texts, const ModelError& error);
  void try_another(const ModelError& error);
  void give_up(const Unembedded& text);
  void adapt(std::chrono::steady_clock::duration took, std::size_t texts);
  void store(std::vector<Embedded> turns);
  void progressed(StoreResult<EmbeddingProgress> progress);
  void say(const EmbeddingProgress& progress);
  void postpone(const ModelError& error);

  Archive& archive_;
  const EmbeddingModel model_;
  LanguageModels& models_;
  Clock clock_;
  std::function<void(Time)> on_due_;
  std::shared_ptr<Embedder*> self_;  // callbacks find out through it whether this is still there
  bool prepared_ = false;            // what is in the archive is of this model
  bool busy_ = false;
  bool again_ = false;  // something was said while it was busy
  bool stopped_ = false;
  std::uint64_t waited_ = 0;  // turns, when it was last looked
  std::size_t at_once_;       // texts of the next question
  Number refused_ = 0;        // the row whose text was refused by itself
  std::uint32_t refusals_ = 0;
  bool takes_others_ = false;   // texts than that one
  std::uint32_t attempts_ = 0;  // that failed, in a row
  std::optional<Time> due_;     // not before
  bool in_long_run_ = false;    // which the log was told of
  Time said_;
  EmbedderStatus status_;
};

}  // namespace persona
