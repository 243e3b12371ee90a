#pragma once
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// One line of the report.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> at_most;  ///< the target, where there is one
};

/// What was measured, printed as it comes.
class Figures {
 public:
  void heading(const std::string& text);
  void add(Figure figure);
  /// How many figures missed their target.
  [[nodiscard]] int missed() const { return missed_; }

 private:
  int missed_ = 0;
};

[[nodiscard]] double median(std::vector<double> values);

}  // namespace bench
