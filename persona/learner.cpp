#include "persona/learner.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace persona {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstRetry = 5s;
constexpr auto kLongestRetry = 600s;
constexpr std::uint32_t kMostUseless = 8;  // answers to one question, before its rows are passed over
constexpr LearningKind kKinds[] = {LearningKind::summary, LearningKind::facts};

std::chrono::seconds retry_after(const ModelError& error, std::uint32_t attempts) {
  if (error.retry_after) return std::clamp<std::chrono::seconds>(*error.retry_after, 1s, kLongestRetry);
  const bool until_changed = error.kind == ModelError::Kind::refused || error.kind == ModelError::Kind::misconfigured;
  if (until_changed) return kLongestRetry;
  return std::min<std::chrono::seconds>(kFirstRetry * (1 << std::min(attempts, 10u)), kLongestRetry);
}

ModelError store_trouble(std::string words) {
  ModelError error;
  error.kind = ModelError::Kind::failed;
  error.words = std::move(words);
  return error;
}

}  // namespace

const Learning* Learner::Class::learning() const {
  const auto learnings = memory ? memory->learnings() : std::vector<const Learning*>();
  return lesson < learnings.size() ? learnings[lesson] : nullptr;
}

Learner::Learner(Archive& archive, const Personas& personas, LanguageModels& models, Clock clock,
                 std::function<void(Time)> on_due)
    : archive_(archive),
      personas_(personas),
      models_(models),
      clock_(std::move(clock)),
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

void Learner::add(const ThreadKey& thread, Number before, std::uint32_t attempts, std::optional<Time> due) {
  auto pupil = std::make_shared<Pupil>();
  pupil->thread = thread;
  pupil->before = before;
  pupil->attempts = attempts;
  pupil->due = due;
  pupils_.emplace(thread, std::move(pupil));
}

void Learner::learn(const ThreadKey& thread, Number before) {
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
  add(thread, before, 0, std::nullopt);
  start_what_is_due();
}

void Learner::resume() {
  if (stopped_ || reading_jobs_) return;
  reading_jobs_ = true;
  archive_.jobs(kMostThreads, [self = self_](StoreResult<std::vector<LearningJob>> jobs) {
    if (*self == nullptr) return;
    Learner& here = **self;
    here.reading_jobs_ = false;
    here.more_jobs_ = !jobs || jobs->size() >= kMostThreads;
    if (!jobs) return here.schedule();
    const Moment now = here.clock_();
    for (const LearningJob& job : *jobs) {
      if (here.pupils_.size() >= kMostThreads) break;
      if (here.pupils_.contains(job.thread)) continue;
      const double wait = std::min(job.not_before - now.unix_seconds(), 600.0);
      std::optional<Time> due;
      if (wait > 0) due = now.steady + std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(wait));
      here.add(job.thread, 0, job.attempts, due);
      here.pupils_.at(job.thread)->resumed = true;
    }
    here.start_what_is_due();
  });
}

void Learner::tick() {
  if (more_jobs_ && pupils_.size() < kMostThreads / 2) resume();
  start_what_is_due();
}

// A thread can be done with at once, which frees its place: then the next one starts from here, not from inside.
void Learner::start_what_is_due() {
  if (std::exchange(starting_, true)) return;
  bool started = true;
  while (started && busy_ < kMostAtOnce && !stopped_) {
    started = false;
    const Time now = clock_().steady;
    const auto is_due = [now](const auto& entry) {
      const Pupil& pupil = *entry.second;
      return !pupil.busy && (!pupil.due || *pupil.due <= now);
    };
    const auto found = std::ranges::find_if(pupils_, is_due);
    if (found == pupils_.end()) break;
    started = true;
    auto session = std::make_shared<Class>();
    session->pupil = found->second;
    session->pupil->busy = true;
    session->pupil->due.reset();
    session->memory = personas_.of_id(found->second->thread.persona).memory;
    ++busy_;
    next_lesson(session);
  }
  starting_ = false;
  schedule();
}

void Learner::next_lesson(const ClassPtr& session) {
  const Learning* learning = session->learning();
  if (learning == nullptr || stopped_) return finished(session);
  session->before = session->pupil->before;
  archive_.unlearned(session->pupil->thread, learning->kind(), session->before, learning->most_rows(),
                     [self = self_, session](StoreResult<Unlearned> unlearned) {
                       if (*self == nullptr) return;
                       if (unlearned) return (*self)->give_lesson(session, *unlearned);
                       (*self)->postpone(session, store_trouble("the store cannot be read"));
                     });
}

void Learner::give_lesson(const ClassPtr& session, const Unlearned& unlearned) {
  const Learning& learning = *session->learning();
  auto lesson = learning.lesson(unlearned);
  if (!lesson) {
    // While an exchange is open there is more to come, and the job has to outlive this process.
    if (session->before == 0) {
      archive_.job_done({session->pupil->thread, learning.kind(), unlearned.marks, 0, 0});
    }
    ++session->lesson;
    return next_lesson(session);
  }
  lesson->learnt.after = unlearned.progress;
  if (!lesson->ask) return store(session, std::move(lesson->learnt));
  models_.chat(std::move(*lesson->ask),
               [self = self_, session, learnt = std::move(lesson->learnt)](ModelResult<std::string> answer) mutable {
                 if (*self != nullptr) (*self)->answered(session, std::move(learnt), std::move(answer));
               });
}

void Learner::answered(const ClassPtr& session, Learnt learnt, ModelResult<std::string> answer) {
  Pupil& pupil = *session->pupil;
  if (const auto* error = std::get_if<ModelError>(&answer)) {
    if (error->kind == ModelError::Kind::closed || stopped_) return finished(session);
    // A question that is refused by itself, or answered with nonsense, may never be answered: others must not wait.
    const bool useless = error->kind == ModelError::Kind::unusable || error->kind == ModelError::Kind::rejected;
    pupil.useless = useless ? pupil.useless + 1 : 0;
    if (pupil.useless < kMostUseless) return postpone(session, *error);
    ++status_.given_up;
    spdlog::warn("nothing was learnt from some turns of {}: {} answers of the model in a row were of no use ({})",
                 pupil.thread.persona, kMostUseless, error->words);
  } else {
    session->learning()->take(std::get<std::string>(answer), learnt);
    status_.trouble.clear();
  }
  pupil.attempts = 0;
  pupil.useless = 0;
  store(session, std::move(learnt));
}

// Whatever comes of it, the next look at the thread starts from what is stored then.
void Learner::store(const ClassPtr& session, Learnt learnt) {
  archive_.learnt(session->pupil->thread, std::move(learnt), clock_().unix_seconds(),
                  [self = self_, session](StoreResult<bool> stored) {
                    if (*self == nullptr) return;
                    Learner& here = **self;
                    if (!stored) {
                      return here.postpone(session, store_trouble("what was learnt cannot be stored"));
                    }
                    ++(*stored ? here.status_.learnt : here.status_.dropped);
                    here.next_lesson(session);
                  });
}

void Learner::postpone(const ClassPtr& session, const ModelError& error) {
  Pupil& pupil = *session->pupil;
  const auto wait = retry_after(error, pupil.attempts);
  ++pupil.attempts;
  ++status_.failed;
  if (status_.trouble != error.words) spdlog::warn("learning waits: {}; it is tried again", error.words);
  status_.trouble = error.words;
  const Moment now = clock_();
  archive_.job_postponed({pupil.thread, session->learning()->kind(), 0, pupil.attempts,
                          now.unix_seconds() + std::chrono::duration<double>(wait).count()});
  pupil.again = false;
  pupil.due = now.steady + wait;
  free_place(pupil);
}

void Learner::finished(const ClassPtr& session) {
  const PupilPtr pupil = session->pupil;
  if (!stopped_) {
    if (pupil->resumed) drop_jobs_nobody_learns(session);
    if (!std::exchange(pupil->again, false)) pupils_.erase(pupil->thread);
    if (more_jobs_ && pupils_.size() < kMostThreads / 2) resume();
  }
  free_place(*pupil);
}

// The persona was given another memory since, or none: its jobs would be taken up again and again.
void Learner::drop_jobs_nobody_learns(const ClassPtr& session) {
  const auto learnings = session->memory ? session->memory->learnings() : std::vector<const Learning*>();
  for (const LearningKind kind : kKinds) {
    const auto same = [kind](const Learning* learning) { return learning->kind() == kind; };
    if (std::ranges::none_of(learnings, same)) {
      archive_.job_done({session->pupil->thread, kind, LearningJob::kAnyMarks, 0, 0});
    }
  }
}

void Learner::free_place(Pupil& pupil) {
  pupil.busy = false;
  --busy_;
  start_what_is_due();
}

// While all places are taken there is nothing to wake up for: whoever frees one looks for what is due.
void Learner::schedule() {
  if (!on_due_ || busy_ >= kMostAtOnce || stopped_) return;
  std::optional<Time> next;
  for (const auto& [thread, pupil] : pupils_) {
    if (!pupil->busy && pupil->due && (!next || *pupil->due < *next)) next = pupil->due;
  }
  if (more_jobs_ && !reading_jobs_ && !next) next = clock_().steady + kLongestRetry;
  if (next) on_due_(*next);
}

}  // namespace persona
