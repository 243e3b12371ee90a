#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "persona/recall/model_files.hpp"

namespace persona {

/// What the numbers of a tensor are.
enum class Element : std::uint8_t { f16, f32, f64, i8, i32, i64 };

/// Numbers of a model, row by row, in the bytes they were read as (little-endian, at any alignment).
/// Invariant: there are as many bytes as shape and element ask for.
/// Lifetime: that of the file it is of.
struct Tensor {
  Element element = Element::f32;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;

  /// Of all dimensions.
  [[nodiscard]] std::size_t size() const;
  /// The number at a place, which is below `size()`.
  [[nodiscard]] double number(std::size_t at) const;
  /// Whole numbers only.
  [[nodiscard]] std::int64_t whole_number(std::size_t at) const;
};

/// Half precision's bits as a number; infinities and what is no number stay such.
[[nodiscard]] float float_of_half(std::uint16_t bits) noexcept;

/// The tensors of a .safetensors file, by name: the length of a header, the header in JSON, the numbers.
///
/// Source: the format's description in huggingface/safetensors.
class Safetensors {
 public:
  /// Each length, offset, shape and element is looked at before any number is.
  /// Errors: in words, without the file.
  [[nodiscard]] static boost::system::result<Safetensors, std::string> read(FileBytes file);

  /// Null: none of this name, or of an element that no model here needs.
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  [[nodiscard]] const FileBytes& file() const { return file_; }

 private:
  FileBytes file_;
  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace persona
