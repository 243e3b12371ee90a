#include "persona/store/archive.hpp"

namespace persona {
namespace {

class StoreCategory final : public boost::system::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "store"; }
  [[nodiscard]] std::string message(int value) const override {
    switch (static_cast<StoreError>(value)) {
      case StoreError::unavailable:
        return "the store cannot be written or read at the moment";
      case StoreError::busy:
        return "too much is waiting to be stored; try again shortly";
      case StoreError::unknown_turn:
        return "no turn of that id is in this conversation";
      case StoreError::bad_cursor:
        return "not a cursor of this store";
      case StoreError::closed:
        return "the store is shutting down";
    }
    return "store error " + std::to_string(value);
  }
};

}  // namespace

boost::system::error_code make_error_code(StoreError error) noexcept {
  static const StoreCategory category;
  return {static_cast<int>(error), category};
}

}  // namespace persona
