#pragma once
#include <cstdint>
#include <filesystem>

#include "persona/store/operation_queue.hpp"
#include "persona/store/store_tables.hpp"

namespace persona {

/// Answers what is asked of the store: from the tables, and from what was heard and waits to get there.
///
/// Threading: the worker's.
class StoreReader {
 public:
  StoreReader(StoreTables& tables, OperationQueue& queue) : tables_(tables), queue_(queue) {}

  /// False: the store failed, and the operation's result says so.
  bool read(Operation& operation);

 private:
  StoreResult<TurnPage> turns(const ReadTurns& wanted);
  StoreResult<StoreTables::Place> place(const ThreadKey& thread, const std::string& id);

  StoreTables& tables_;
  OperationQueue& queue_;
};

}  // namespace persona
