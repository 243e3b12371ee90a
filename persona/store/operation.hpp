#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "persona/store/archive.hpp"

// Calls of the archive as values, on their way to the worker and back.
namespace persona {

class StoreTables;

struct ActiveChange {
  ConversationKey where;
  ActivePersona::State state;
};
/// What can not be heard again, and so waits while the store fails.
using HeardWrite = std::variant<Row, ActiveChange>;

/// A call that is answered: what to do with the result, and the result once there is one.
template <class T>
struct Answered {
  Archive::Done<T> done;
  StoreResult<T> result = StoreResult<T>(make_error_code(StoreError::unavailable));
};

struct AppendRows : Answered<void> {
  std::vector<Row> rows;
};
struct EraseRows : Answered<void> {
  ThreadKey thread;
  std::vector<Number> numbers;
};
struct ReadTurns : Answered<TurnPage> {
  ThreadKey thread;
  std::size_t limit = 0;
  std::optional<std::string> before;
};
struct ReadThreads : Answered<ThreadsPage> {
  ThreadsQuery query;
};
struct ReadActive : Answered<std::optional<ActivePersona::State>> {
  ConversationKey where;
};
/// Work on the tables beside the turns: one closure instead of a type for each call. It may be carried out again after
/// a transaction was rolled back.
struct TableWork {
  bool writes = false;
  std::size_t bytes = 0;  ///< of text it holds
  /// False: the store failed.
  std::function<bool(StoreTables&)> run;
  /// Calls back, on the caller's thread: with success when `run` succeeded, and was committed.
  std::function<void(StoreResult<void>)> finish;
  StoreResult<void> result = StoreResult<void>(make_error_code(StoreError::unavailable));
};
struct ReadStatus : Answered<StoreStatus> {};
struct Flush {
  std::function<void()> done;
};
/// Was refused when it was called; takes its turn in the order of answers.
struct Refusal {
  Archive::Done<void> done;
  StoreError error = StoreError::busy;
};

using Operation = std::variant<HeardWrite, AppendRows, EraseRows, ReadTurns, ReadThreads, ReadActive, TableWork,
                               ReadStatus, Flush, Refusal>;

/// What waits, as bounds count it.
struct Load {
  std::size_t rows = 0;
  std::size_t bytes = 0;
  Load& operator+=(const Load& more) {
    rows += more.rows;
    bytes += more.bytes;
    return *this;
  }
  Load& operator-=(const Load& less) {
    rows -= less.rows;
    bytes -= less.bytes;
    return *this;
  }
};
[[nodiscard]] Load load_of(const Row& row);
[[nodiscard]] Load load_of(const HeardWrite& heard);
[[nodiscard]] Load load_of(const Operation& operation);

[[nodiscard]] bool writes(const Operation& operation);
/// True when somebody waits to be called back.
[[nodiscard]] bool is_answered(const Operation& operation);
/// Calls back, on the caller's thread.
void answer(Operation& operation);

}  // namespace persona
