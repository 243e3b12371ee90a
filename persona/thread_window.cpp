#include "persona/thread_window.hpp"

#include <utility>

#include "persona/memory/context.hpp"

namespace persona {
namespace {

constexpr std::size_t kFirstRead = 32;    // rows; most windows need no second read
constexpr std::size_t kMostRows = 10000;  // a window never holds more, whatever the history looks like

}  // namespace

ThreadWindow::ThreadWindow(Archive& archive, ThreadKey key) : state_(std::make_shared<State>()) {
  state_->key = std::move(key);
  state_->archive = &archive;
}

bool ThreadWindow::reaches(const State& state, std::size_t wanted) {
  return state.ready && (state.window.from_the_start() || state.rows_asked >= kMostRows ||
                         folded_size(state.window.turns()) >= wanted);
}

void ThreadWindow::with(std::size_t wanted, Then then) {
  if (!state_->loading && reaches(*state_, wanted)) {
    then(&state_->window);
    return;
  }
  state_->waiting.push_back({wanted, std::move(then)});
  prefetch(wanted);
}

void ThreadWindow::prefetch(std::size_t wanted) {
  state_->wanted = std::max(state_->wanted, wanted);
  if (state_->loading || reaches(*state_, wanted)) return;
  read(state_, std::max(kFirstRead, 4 * wanted));
}

void ThreadWindow::read(const std::shared_ptr<State>& state, std::size_t rows) {
  state->loading = true;
  state->rows_asked = std::min(rows, kMostRows);
  state->archive->read(state->key, state->rows_asked, std::nullopt,
                       [weak = std::weak_ptr(state)](StoreResult<TurnPage> page) {
                         if (const auto alive = weak.lock()) was_read(alive, std::move(page));
                       });
}

void ThreadWindow::was_read(const std::shared_ptr<State>& state, StoreResult<TurnPage> page) {
  state->loading = false;
  if (std::exchange(state->outdated, false)) {
    // What it holds may be from before; all of it, what was told meanwhile too, is in the archive.
    state->window = Window();
    state->erased_meanwhile.clear();
    read(state, state->rows_asked);
    return;
  }
  if (page) {
    // What was told meanwhile is newer than the page, a correction among it.
    const std::vector<TurnPtr> told(state->window.turns().begin(), state->window.turns().end());
    for (TurnPtr& turn : page->turns) state->window.insert(std::move(turn));
    for (const TurnPtr& turn : told) state->window.insert(turn);
    state->window.erase(state->erased_meanwhile);
    state->window.set_from_the_start(page->from_the_start);
    state->ready = true;
  }
  state->erased_meanwhile.clear();
  if (page && !reaches(*state, state->wanted)) {
    read(state, state->rows_asked * 4);
    return;
  }
  // A callback may ask for the window again, or for more of it.
  for (Waiting& waiting : std::exchange(state->waiting, {})) {
    if (page) {
      waiting.then(&state->window);
    } else {
      waiting.then(page.error());
    }
  }
}

void ThreadWindow::recorded(const TurnPtr& turn) {
  if (!state_->ready && !state_->loading) return;
  state_->window.insert(turn);
  follow();
}

void ThreadWindow::erased(std::span<const Number> numbers) {
  state_->window.erase(numbers);
  if (state_->loading) state_->erased_meanwhile.insert(state_->erased_meanwhile.end(), numbers.begin(), numbers.end());
}

void ThreadWindow::read_anew() {
  if (state_->loading) {
    state_->outdated = true;
    return;
  }
  state_->window = Window();
  state_->ready = false;
}

// A window that has grown to several times what is wanted goes back to about twice that.
void ThreadWindow::follow() {
  State& state = *state_;
  if (state.loading) return;
  const std::size_t most = std::max(state.rows_asked, kFirstRead) * 2;
  if (state.window.turns().size() > most) state.window.keep_newest(most / 2);
}

}  // namespace persona
