#include "persona/embedder.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace persona {
namespace {

using namespace std::chrono_literals;
using Kind = ModelError::Kind;

constexpr auto kFirstRetry = 1s;
constexpr auto kLongestRetry = 60s;
constexpr auto kLookAgain = 60s;
constexpr auto kUntilChanged = 600s;      // where nothing will work until somebody changes something
constexpr auto kTimeout = 60s;            // of a question: nobody waits for it
constexpr auto kQuick = 200ms;            // a question that took no longer may be longer
constexpr auto kSlow = 500ms;             // one that did should be shorter
constexpr std::size_t kFirstAtOnce = 8;   // texts of the first question
constexpr std::uint64_t kLongRun = 1000;  // turns that the log tells of
constexpr auto kSayEvery = 10s;
constexpr const char* kOtherText = "Hello";  // that no model refuses

std::chrono::seconds retry_after(const ModelError& error, std::uint32_t attempts) {
  if (error.retry_after) return std::clamp<std::chrono::seconds>(*error.retry_after, 1s, kUntilChanged);
  if (error.kind == Kind::refused || error.kind == Kind::misconfigured) return kUntilChanged;
  return std::min<std::chrono::seconds>(kFirstRetry * (1 << std::min(attempts, 10U)), kLongestRetry);
}

ModelError trouble(const char* words) {
  ModelError error;
  error.kind = Kind::failed;
  error.words = words;
  return error;
}

}  // namespace

Embedder::Embedder(Archive& archive, EmbeddingModel model, LanguageModels& models, Clock clock,
                   std::function<void(Time)> on_due)
    : archive_(archive),
      model_(std::move(model)),
      models_(models),
      clock_(std::move(clock)),
      on_due_(std::move(on_due)),
      self_(std::make_shared<Embedder*>(this)),
      at_once_(model_.in_process ? kMostAtOnce : kFirstAtOnce) {}

Embedder::~Embedder() {
  *self_ = nullptr;
}

void Embedder::wake() {
  if (busy_) again_ = true;
  if (!busy_ && !due_) next();
}

void Embedder::tick() {
  if (busy_ || (due_ && clock_().steady < *due_)) return;
  due_.reset();
  next();
}

void Embedder::next() {
  if (stopped_) return;
  busy_ = true;
  again_ = false;
  auto progressed = [self = self_](StoreResult<EmbeddingProgress> progress) {
    if (*self != nullptr) (*self)->progressed(std::move(progress));
  };
  if (!prepared_) return archive_.use_embeddings(model_.fingerprint, std::move(progressed));
  if (model_.in_process) {
    return archive_.embed(model_.fingerprint, model_.in_process, at_once_, std::move(progressed));
  }
  archive_.unembedded(at_once_, [self = self_](StoreResult<UnembeddedTurns> found) {
    if (*self == nullptr) return;
    if (found) return (*self)->ask(std::move(*found));
    (*self)->postpone(trouble("the store cannot be read"));
  });
}

void Embedder::progressed(StoreResult<EmbeddingProgress> progress) {
  if (!progress) return postpone(trouble("the store cannot be written"));
  // Vectors of another length than those that are there: the model is not what it was. Not at once, lest an endpoint
  // that gives now these and now those keeps all of this busy.
  const bool other = prepared_ && !progress->ready;
  const bool was_prepared = std::exchange(prepared_, progress->ready);
  status_.embedded = progress->embedded;
  status_.waiting = progress->waiting;
  if (other) return postpone(trouble("the model gives vectors of another length than before; all are made anew"));
  if (prepared_) say(*progress);
  if (was_prepared) {
    attempts_ = 0;
    status_.trouble.clear();
  }
  busy_ = false;
  // What can not be dealt with must not keep it busy.
  const bool moved = progress->waiting != std::exchange(waited_, progress->waiting);
  if (!prepared_ || !was_prepared || again_ || (progress->waiting > 0 && moved)) return next();
  rest();
}

// Now and then it looks whether something came that nobody said: turns that the index takes up behind.
void Embedder::rest() {
  busy_ = false;
  if (again_) return next();
  if (!stopped_ && on_due_) on_due_(clock_().steady + kLookAgain);
}

void Embedder::ask(UnembeddedTurns found) {
  status_.embedded = found.progress.embedded;
  status_.waiting = found.progress.waiting;
  if (stopped_ || found.turns.empty()) {
    say(found.progress);
    return rest();
  }
  std::vector<std::string> texts;
  texts.reserve(found.turns.size());
  for (const Unembedded& turn : found.turns) texts.push_back(model_.passage_prefix + turn.text);
  ModelAddress address = model_.address;
  address.timeout = kTimeout;
  models_.embed(std::move(address), std::move(texts),
                [self = self_, turns = std::move(found.turns),
                 asked = clock_().steady](ModelResult<LanguageModels::Vectors> answer) mutable {
                  if (*self != nullptr) (*self)->answered(std::move(turns), asked, std::move(answer));
                });
}

void Embedder::answered(Texts texts, Time asked, ModelResult<LanguageModels::Vectors> answer) {
  if (const auto* error = std::get_if<ModelError>(&answer)) {
    if (error->kind == Kind::closed || stopped_) {
      busy_ = false;
      return;
    }
    const bool useless = error->kind == Kind::rejected || error->kind == Kind::unusable;
    if (useless) return refused(texts, *error);
    if (error->kind == Kind::timed_out) at_once_ = std::max<std::size_t>(at_once_ / 2, 1);
    return postpone(*error);
  }
  adapt(clock_().steady - asked, texts.size());
  auto& vectors = std::get<LanguageModels::Vectors>(answer);
  std::vector<Embedded> turns;
  turns.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    turns.push_back({texts[i].number, digest_of(texts[i].text), std::move(vectors[i])});
  }
  store(std::move(turns));
}

// A question stays short enough that one of somebody who waits is not held up by it.
void Embedder::adapt(std::chrono::steady_clock::duration took, std::size_t texts) {
  if (took > kSlow) at_once_ = std::max<std::size_t>(at_once_ / 2, 1);
  if (took < kQuick && texts == at_once_) at_once_ = std::min(2 * at_once_, kMostAtOnce);
}

void Embedder::store(std::vector<Embedded> turns) {
  archive_.embedded(model_.fingerprint, std::move(turns), [self = self_](StoreResult<EmbeddingProgress> progress) {
    if (*self != nullptr) (*self)->progressed(std::move(progress));
  });
}

// Which of several texts it is shows when they are asked for in smaller lots.
void Embedder::refused(const Texts& texts, const ModelError& error) {
  if (texts.size() > 1) {
    at_once_ = std::max<std::size_t>(texts.size() / 2, 1);
    if (error.kind != Kind::rejected) return postpone(error);
    busy_ = false;
    return next();
  }
  const Unembedded& text = texts.front();
  if (std::exchange(refused_, text.number) != text.number) {
    refusals_ = 0;
    takes_others_ = false;
  }
  if (++refusals_ < kMostRefusals) return postpone(error);
  if (takes_others_) return give_up(text);
  try_another(error);
}

// An endpoint that refuses every text is down, and nothing is given up for that. One that takes another is asked for
// this one a last time: it may just have come back.
void Embedder::try_another(const ModelError& error) {
  ModelAddress address = model_.address;
  address.timeout = kTimeout;
  models_.embed(std::move(address), {model_.passage_prefix + kOtherText},
                [self = self_, error](const ModelResult<LanguageModels::Vectors>& answer) {
                  if (*self == nullptr) return;
                  Embedder& here = **self;
                  here.takes_others_ = std::holds_alternative<LanguageModels::Vectors>(answer);
                  if (!here.takes_others_) return here.postpone(error);
                  here.busy_ = false;
                  here.next();
                });
}

void Embedder::give_up(const Unembedded& text) {
  ++status_.given_up;
  spdlog::warn("a turn has no embedding: {} refuses its text; it is found by its words alone", model_.name);
  refused_ = 0;
  refusals_ = 0;
  store({{text.number, digest_of(text.text), {}}});
}

void Embedder::postpone(const ModelError& error) {
  busy_ = false;
  if (stopped_) return;
  const auto wait = retry_after(error, attempts_);
  ++attempts_;
  ++status_.failed;
  if (status_.trouble != error.words) spdlog::warn("embedding waits: {}; it is tried again", error.words);
  status_.trouble = error.words;
  due_ = clock_().steady + wait;
  if (on_due_) on_due_(*due_);
}

// A few turns are everyday; many are a model that is new, an import, or an endpoint that was away.
void Embedder::say(const EmbeddingProgress& progress) {
  const Time now = clock_().steady;
  if (!in_long_run_ && progress.waiting >= kLongRun) {
    in_long_run_ = true;
    spdlog::info("{} turns are being embedded by {}; until then they are found by their words alone", progress.waiting,
                 model_.name);
  } else if (in_long_run_ && progress.waiting == 0) {
    in_long_run_ = false;
    spdlog::info("{} turns can be found by their meaning", progress.embedded);
  } else if (in_long_run_ && now - said_ >= kSayEvery) {
    spdlog::info("embedding: {} turns done, {} to go", progress.embedded, progress.waiting);
  } else {
    return;
  }
  said_ = now;
}

}  // namespace persona
