#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

// Files that models are made of: large, and made by others.
namespace persona {

/// Bytes of a file, read once.
///
/// Not mapped: a file that is written over in place would change a model under its fingerprint, and one that is cut
/// short would end the process.
class FileBytes {
 public:
  FileBytes() = default;
  explicit FileBytes(std::size_t size) : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  [[nodiscard]] std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.get()), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

/// Errors: in words, with the file: not readable, no regular file, larger than `most`, a pointer of Git LFS.
[[nodiscard]] boost::system::result<FileBytes, std::string> read_model_file(const std::filesystem::path& file,
                                                                            std::uint64_t most);

/// An object or a list of a model's files, or what is wrong with it.
struct ModelJson {
  nlohmann::json value;
  std::string fault;  ///< in words, without the file; empty: none
};

/// Not nested deeper than such files are.
[[nodiscard]] ModelJson parse_model_json(std::string_view text);

/// The value of a key; null where there is none, or where it is asked of what is no object.
[[nodiscard]] const nlohmann::json& value_at(const nlohmann::json& object, const char* key);
/// A string's text; empty where it is none. It holds as long as the string does.
[[nodiscard]] std::string_view text_of(const nlohmann::json& value);
[[nodiscard]] std::string_view text_at(const nlohmann::json& object, const char* key);
[[nodiscard]] bool is_true_at(const nlohmann::json& object, const char* key);

}  // namespace persona
