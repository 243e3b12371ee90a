#include "daemon/bearer_key.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "persona/white_space.hpp"

namespace personad {
namespace {

using Read = boost::system::result<BearerKey, std::string>;

constexpr std::size_t kLongestKey = 16384;

Read failure(std::string words) {
  return Read(boost::system::in_place_error, std::move(words));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Read read_file(const std::string& path) {
  // Not blocking: what is named may be a pipe.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0) {
    return failure("the key file " + path + " cannot be read: " + std::generic_category().message(errno));
  }
  struct stat about = {};
  if (::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return failure("the key file " + path + " is no file");
  }
  BearerKey key;
  key.readable_for_everybody = (about.st_mode & S_IROTH) != 0;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = ::read(file.number(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("the key file " + path + ": " + std::generic_category().message(errno));
    if (got == 0) return key;
    key.text.append(piece.data(), static_cast<std::size_t>(got));
    if (key.text.size() > kLongestKey) return failure("the key file " + path + " is too long for a key");
  }
}

Read checked(BearerKey key, const std::string& where) {
  key.text = persona::trimmed(std::string(key.text));
  if (key.text.empty()) return failure("no key in " + where);
  // Anything else could end the header it is put in.
  if (!std::all_of(key.text.begin(), key.text.end(), [](char c) { return c > ' ' && c < '\x7F'; })) {
    return failure("the key in " + where + " is not printable ASCII without spaces");
  }
  return key;
}

}  // namespace

Read read_bearer_key(const persona::ModelAddress& address, const Environment& environment) {
  if (!address.key_file.empty()) {
    Read read = read_file(address.key_file);
    if (!read) return read;
    return checked(*std::move(read), "the key file " + address.key_file);
  }
  if (address.key_variable.empty()) return BearerKey();
  const std::string where = "the environment variable " + address.key_variable;
  auto value = environment(address.key_variable);
  if (!value) return failure(where + " is not set");
  BearerKey key;
  key.text = *std::move(value);
  return checked(std::move(key), where);
}

}  // namespace personad
