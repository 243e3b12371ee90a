#include "persona/store/operation_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace persona {

void OperationQueue::push(Operation operation) {
  const Load load = load_of(operation);
  {
    const std::lock_guard lock(mutex_);
    Load with = waiting();
    const bool alone = with.rows == 0;  // what is larger than all bounds would never find a place otherwise
    with += load;
    auto* append = std::get_if<AppendRows>(&operation);
    if (append != nullptr && !alone && exceeds(with)) {
      queue_.push_back(Refusal{std::move(append->done), StoreError::busy});
    } else if (auto* work = std::get_if<TableWork>(&operation);
               work != nullptr && !alone && load.rows > 0 && exceeds(with)) {
      queue_.push_back(TableWork{false, 0, nullptr, std::move(work->finish), make_error_code(StoreError::busy)});
    } else {
      queued_ += load;
      queue_.push_back(std::move(operation));
    }
  }
  wake_.notify_one();
}

void OperationQueue::push_heard(HeardWrite heard) {
  const Load load = load_of(heard);
  {
    const std::lock_guard lock(mutex_);
    const auto fits = [&] {
      Load with = waiting();
      with += load;
      return !exceeds(with);
    };
    while (!fits() && drop_oldest_heard()) ++dropped_;
    if (!fits() && waiting().rows > 0) {
      ++dropped_;
      return;
    }
    queued_ += load;
    queue_.emplace_back(std::move(heard));
  }
  wake_.notify_one();
}

void OperationQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
}

OperationQueue::Batch OperationQueue::take(std::optional<Clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto due = [this] { return stopping_ || !queue_.empty(); };
  if (until) {
    wake_.wait_until(lock, *until, due);
  } else {
    wake_.wait(lock, due);
  }
  Batch batch;
  batch.operations.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end()));
  batch.last = stopping_;
  queue_.clear();
  taken_ += std::exchange(queued_, {});
  return batch;
}

std::vector<HeardWrite> OperationQueue::take_held() {
  const std::lock_guard lock(mutex_);
  taken_ += held_.load();
  return held_.take_all();
}

void OperationQueue::hold(HeardWrite heard) {
  const std::lock_guard lock(mutex_);
  taken_ -= load_of(heard);
  held_.add(std::move(heard));
}

void OperationQueue::finished() {
  const std::lock_guard lock(mutex_);
  taken_ = {};
}

std::size_t OperationQueue::waiting_rows() {
  const std::lock_guard lock(mutex_);
  return queued_.rows + held_.load().rows;
}

std::uint64_t OperationQueue::dropped() {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

Load OperationQueue::waiting() const {
  Load sum = queued_;
  sum += taken_;
  sum += held_.load();
  return sum;
}

bool OperationQueue::exceeds(const Load& load) const {
  return load.rows > most_.rows || load.bytes > most_.bytes;
}

bool OperationQueue::drop_oldest_heard() {
  if (held_.drop_oldest()) return true;
  const auto oldest = std::find_if(queue_.begin(), queue_.end(), [](const Operation& operation) {
    return std::holds_alternative<HeardWrite>(operation);
  });
  if (oldest == queue_.end()) return false;
  queued_ -= load_of(*oldest);
  queue_.erase(oldest);
  return true;
}

}  // namespace persona
