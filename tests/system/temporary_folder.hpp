#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace system_tests {

/// A folder of its own in the system's temporary folder, gone with all it holds when this goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, std::string_view text);
/// True when some file below `folder` has these bytes in it, whatever the file's format.
[[nodiscard]] bool any_file_holds(const std::filesystem::path& folder, std::string_view bytes);

}  // namespace system_tests
