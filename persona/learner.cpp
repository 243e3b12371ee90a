#include "persona/learner.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace persona {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstRetry = 5s;
constexpr auto kLongestRetry = 600s;
constexpr std::uint32_t kMostUnusable = 8;  // answers to one question, before its rows are passed over

std::chrono::seconds retry_after(const ModelError& error, std::uint32_t attempts) {
  if (error.retry_after) return std::clamp<std::chrono::seconds>(*error.retry_after, 1s, kLongestRetry);
  const bool until_changed = error.kind == ModelError::Kind::refused || error.kind == ModelError::Kind::misconfigured;
  if (until_changed) return kLongestRetry;
  return std::min<std::chrono::seconds>(kFirstRetry * (1 << std::min(attempts, 10u)), kLongestRetry);
}

double unix_now() {
  return Moment::now().unix_seconds();
}

}  // namespace

Learner::Learner(Archive& archive, const Personas& personas, LanguageModels& models, std::function<void(Time)> on_due)
    : archive_(archive),
      personas_(personas),
      models_(models),
      on_due_(std::move(on_due)),
      self_(std::make_shared<Learner*>(this)) {}

Learner::~Learner() {
  *self_ = nullptr;
}

const LearnerStatus& Learner::status() {
  status_.waiting = pupils_.size();
  status_.asking = busy_;
  return status_;
}

void Learner::learn(const ThreadKey& thread, Number before, Moment now) {
  if (stopped_) return;
  const auto found = pupils_.find(thread);
  if (found != pupils_.end()) {
    found->second->before = before;
    found->second->again = found->second->busy;
    return;
  }
  if (pupils_.size() >= kMostThreads) {
    more_jobs_ = true;
    return;
  }
  auto pupil = std::make_shared<Pupil>();
  pupil->thread = thread;
  pupil->before = before;
  pupils_.emplace(thread, std::move(pupil));
  start_what_is_due(now);
}

void Learner::resume(Moment now) {
  more_jobs_ = false;
  archive_.jobs(kMostThreads, [self = self_, now](StoreResult<std::vector<LearningJob>> jobs) {
    if (*self == nullptr || !jobs) return;
    Learner& here = **self;
    here.more_jobs_ = jobs->size() >= kMostThreads;
    for (const LearningJob& job : *jobs) {
      if (here.pupils_.size() >= kMostThreads || here.pupils_.contains(job.thread)) continue;
      auto pupil = std::make_shared<Pupil>();
      pupil->thread = job.thread;
      pupil->attempts = job.attempts;
      const double wait = job.not_before - now.unix_seconds();
      if (wait > 0) pupil->due = now.steady + std::chrono::seconds(static_cast<std::int64_t>(std::min(wait, 600.0)));
      here.pupils_.emplace(job.thread, std::move(pupil));
    }
    here.start_what_is_due(now);
  });
}

void Learner::tick(Moment now) {
  start_what_is_due(now);
}

void Learner::start_what_is_due(Moment now) {
  std::vector<PupilPtr> due;
  for (const auto& [thread, pupil] : pupils_) {
    if (busy_ + due.size() >= kMostAsking || stopped_) break;
    if (!pupil->busy && (!pupil->due || *pupil->due <= now.steady)) due.push_back(pupil);
  }
  for (const PupilPtr& pupil : due) {
    pupil->busy = true;
    pupil->due.reset();
    pupil->lesson = 0;
    pupil->memory = personas_.of_id(pupil->thread.persona).memory;
    ++busy_;
    next_lesson(pupil);
  }
  schedule();
}

void Learner::next_lesson(const PupilPtr& pupil) {
  const auto learnings = pupil->memory ? pupil->memory->learnings() : std::vector<const Learning*>();
  if (pupil->lesson >= learnings.size() || stopped_) return graduate(pupil);
  const Learning* learning = learnings[pupil->lesson];
  archive_.unlearned(pupil->thread, learning->kind(), pupil->before, learning->most_rows(),
                     [self = self_, pupil, learning](StoreResult<Unlearned> unlearned) {
                       if (*self == nullptr) return;
                       if (unlearned) return (*self)->give_lesson(pupil, *learning, *unlearned);
                       (*self)->postpone(pupil, learning->kind(),
                                         {ModelError::Kind::failed, "the store cannot be read", std::nullopt});
                     });
}

void Learner::give_lesson(const PupilPtr& pupil, const Learning& learning, const Unlearned& unlearned) {
  auto lesson = learning.lesson(unlearned);
  if (!lesson) return done(pupil, learning.kind(), unlearned.marks);
  lesson->learnt.after = unlearned.progress;
  if (!lesson->ask) return store(pupil, std::move(lesson->learnt));
  models_.chat(std::move(*lesson->ask), [self = self_, pupil, &learning,
                                         learnt = std::move(lesson->learnt)](ModelResult<std::string> answer) mutable {
    if (*self != nullptr) (*self)->answered(pupil, learning, std::move(learnt), std::move(answer));
  });
}

void Learner::answered(const PupilPtr& pupil, const Learning& learning, Learnt learnt,
                       ModelResult<std::string> answer) {
  if (const auto* error = std::get_if<ModelError>(&answer)) {
    if (error->kind == ModelError::Kind::closed || stopped_) return graduate(pupil);
    const bool hopeless = error->kind == ModelError::Kind::unusable && pupil->attempts + 1 >= kMostUnusable;
    if (!hopeless) return postpone(pupil, learning.kind(), *error);
    ++status_.given_up;
    spdlog::warn("nothing was learnt from some turns of {}: {} answers of the model in a row were of no use ({})",
                 pupil->thread.persona, kMostUnusable, error->words);
  } else {
    learning.take(std::get<std::string>(answer), learnt);
    status_.trouble.clear();
  }
  pupil->attempts = 0;
  store(pupil, std::move(learnt));
}

// Whatever comes of it, the next look at the thread starts from what is stored then.
void Learner::store(const PupilPtr& pupil, Learnt learnt) {
  const LearningKind kind = learnt.kind;
  archive_.learnt(pupil->thread, std::move(learnt), unix_now(), [self = self_, pupil, kind](StoreResult<bool> stored) {
    if (*self == nullptr) return;
    Learner& here = **self;
    if (!stored) {
      return here.postpone(pupil, kind, {ModelError::Kind::failed, "what was learnt cannot be stored", std::nullopt});
    }
    ++(*stored ? here.status_.learnt : here.status_.dropped);
    here.next_lesson(pupil);
  });
}

void Learner::postpone(const PupilPtr& pupil, LearningKind kind, const ModelError& error) {
  const auto wait = retry_after(error, pupil->attempts);
  ++pupil->attempts;
  ++status_.failed;
  if (status_.trouble != error.words) spdlog::warn("learning waits: {}; it is tried again", error.words);
  status_.trouble = error.words;
  archive_.job_postponed(
      {pupil->thread, kind, 0, pupil->attempts, unix_now() + std::chrono::duration<double>(wait).count()});
  pupil->busy = false;
  pupil->again = false;
  pupil->memory.reset();
  pupil->due = std::chrono::steady_clock::now() + wait;
  --busy_;
  start_what_is_due(Moment::now());
}

// While an exchange is open there is more to come, and the job has to outlive this process.
void Learner::done(const PupilPtr& pupil, LearningKind kind, std::uint64_t marks) {
  if (pupil->before == 0) archive_.job_done({pupil->thread, kind, marks, 0, 0});
  ++pupil->lesson;
  next_lesson(pupil);
}

void Learner::graduate(const PupilPtr& pupil) {
  --busy_;
  pupil->busy = false;
  pupil->memory.reset();
  if (stopped_) return;
  if (!std::exchange(pupil->again, false)) pupils_.erase(pupil->thread);
  if (more_jobs_ && pupils_.empty()) return resume(Moment::now());
  start_what_is_due(Moment::now());
}

void Learner::schedule() {
  std::optional<Time> next;
  for (const auto& [thread, pupil] : pupils_) {
    if (pupil->due && (!next || *pupil->due < *next)) next = pupil->due;
  }
  if (next && on_due_) on_due_(*next);
}

}  // namespace persona
