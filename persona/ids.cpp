#include "persona/ids.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace persona {
namespace {

constexpr std::string_view kCrockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kTimeDigits = 10;    // 48 bits of milliseconds
constexpr std::size_t kRandomDigits = 16;  // 80 random bits

std::mt19937_64 seeded_by_the_system() {
  std::random_device device;
  std::array<std::random_device::result_type, 16> words{};
  std::generate(words.begin(), words.end(), [&] { return device(); });
  std::seed_seq seed(words.begin(), words.end());
  return std::mt19937_64(seed);
}

}  // namespace

IdSource::IdSource() : random_(seeded_by_the_system()) {}
IdSource::IdSource(std::uint64_t seed) : random_(seed) {}

std::string IdSource::next(std::chrono::system_clock::time_point when) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::duration_cast<milliseconds>(when.time_since_epoch()).count();
  // A clock before 1970 would wrap around to the end of time.
  std::uint64_t time = since < 0 ? 0 : static_cast<std::uint64_t>(since);

  std::string id(kTimeDigits + kRandomDigits, '0');
  for (std::size_t i = kTimeDigits; i-- > 0; time >>= 5) id[i] = kCrockford[time & 31];
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kRandomDigits; ++i, bits >>= 5) {
    if (i % 8 == 0) bits = random_();
    id[kTimeDigits + i] = kCrockford[bits & 31];
  }
  return id;
}

}  // namespace persona
