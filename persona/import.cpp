#include "persona/import.hpp"

#include <cstdio>

namespace persona {
namespace {

constexpr std::chrono::seconds kTellEvery{5};
constexpr std::chrono::seconds kOverAfter{3};

}  // namespace

std::size_t memory_of(const Import& records) noexcept {
  std::size_t sum = 0;
  for (const AnyRecord& record : records.records) {
    sum += sizeof record;
    if (const auto* turn = std::get_if<TurnRecord>(&record)) sum += memory_of(turn->turn);
    if (const auto* fact = std::get_if<FactRecord>(&record)) sum += fact->fact.text.size();
    if (const auto* summary = std::get_if<SummaryRecord>(&record)) sum += summary->text.size();
  }
  return sum;
}

std::optional<std::string> ImportProgress::add(std::size_t imported, std::size_t skipped, Time now) {
  if (!began_) {
    began_ = told_ = now;
    imported_before_ = imported_;
    skipped_before_ = skipped_;
  }
  last_ = now;
  imported_ += imported;
  skipped_ += skipped;
  if (now - told_ < kTellEvery) return std::nullopt;
  told_ = now;
  return so_far("so far");
}

std::optional<std::string> ImportProgress::end(Time now) {
  if (!began_ || now - last_ < kOverAfter) return std::nullopt;
  std::string line = so_far("in all");
  began_.reset();
  return line;
}

std::optional<ImportProgress::Time> ImportProgress::due() const {
  if (!began_) return std::nullopt;
  return last_ + kOverAfter;
}

std::string ImportProgress::so_far(std::string_view what) const {
  const double seconds = std::chrono::duration<double>(last_ - *began_).count();
  char took[32];
  std::snprintf(took, sizeof took, "%.1f", seconds);
  return "import: " + std::to_string(imported_ - imported_before_) + " records " + std::string(what) + ", " +
         std::to_string(skipped_ - skipped_before_) + " skipped, in " + took + " s";
}

}  // namespace persona
