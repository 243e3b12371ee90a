#include "persona/store/store_log.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace persona {
namespace {

constexpr std::chrono::minutes kTellEvery{1};

}  // namespace

void StoreLog::failed(std::string what) {
  const auto now = Clock::now();
  if (trouble_.empty() || now - trouble_told_ >= kTellEvery) {
    spdlog::error("store: {}: {}", file_, what);
    trouble_told_ = now;
  }
  trouble_ = std::move(what);
}

void StoreLog::works() {
  if (trouble_.empty()) return;
  spdlog::info("store: {} works again", file_);
  trouble_.clear();
}

void StoreLog::lost(std::uint64_t so_far) {
  const auto now = Clock::now();
  if (so_far == lost_told_ || (lost_told_ > 0 && now - lost_told_at_ < kTellEvery)) return;
  spdlog::error("store: {} heard rows were lost so far: the store failed for too long, or could not take them", so_far);
  lost_told_ = so_far;
  lost_told_at_ = now;
}

void StoreLog::lost_at_close(std::uint64_t rows) {
  spdlog::error("store: closed while it failed; {} heard rows are lost", rows);
}

void StoreLog::erased_text_stays() {
  spdlog::warn("store: another process reads {}; what was erased leaves its log when that is over", file_);
}

}  // namespace persona
