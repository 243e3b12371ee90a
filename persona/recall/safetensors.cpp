#include "persona/recall/safetensors.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace persona {
namespace {

using boost::system::result;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "numbers of models are read as they lie in the file");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 16U << 20U;
constexpr std::size_t kMostDimensions = 4;

std::optional<Element> element_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Element>, 6> kNames{{{"F16", Element::f16},
                                                                        {"F32", Element::f32},
                                                                        {"F64", Element::f64},
                                                                        {"I8", Element::i8},
                                                                        {"I32", Element::i32},
                                                                        {"I64", Element::i64}}};
  for (const auto& [known, element] : kNames) {
    if (known == name) return element;
  }
  return std::nullopt;
}

std::uint64_t bytes_of(Element element) {
  switch (element) {
    case Element::i8:
      return 1;
    case Element::f16:
      return 2;
    case Element::f32:
    case Element::i32:
      return 4;
    case Element::f64:
    case Element::i64:
      return 8;
  }
  return 8;
}

template <typename Number>
Number load(const std::byte* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

// A list of counts; none where it is anything else.
std::optional<std::vector<std::size_t>> counts_of(const json& list, std::size_t most) {
  if (!list.is_array() || list.size() > most) return std::nullopt;
  std::vector<std::size_t> counts;
  for (const json& count : list) {
    if (!count.is_number_unsigned()) return std::nullopt;
    counts.push_back(count.get<std::size_t>());
  }
  return counts;
}

// What a shape asks for, if that is no more than `most`.
std::optional<std::uint64_t> bytes_asked(const std::vector<std::size_t>& shape, Element element, std::uint64_t most) {
  std::uint64_t asked = bytes_of(element);
  for (const std::size_t count : shape) {
    if (count != 0 && asked > most / count) return std::nullopt;
    asked *= count;
  }
  return asked <= most ? std::optional(asked) : std::nullopt;
}

result<Tensor, std::string> tensor_of(const json& described, Element element, std::span<const std::byte> numbers) {
  const auto shape = counts_of(value_at(described, "shape"), kMostDimensions);
  if (!shape) return std::string("has a shape that is none");
  const auto ends = counts_of(value_at(described, "data_offsets"), 2);
  if (!ends || ends->size() != 2) return std::string("has no place in the file");
  const std::size_t begin = ends->front();
  const std::size_t end = ends->back();
  if (begin > end || end > numbers.size()) return std::string("reaches beyond the end of the file, which was cut off");
  if (bytes_asked(*shape, element, end - begin) != end - begin) {
    return std::string("has a shape that its bytes do not fit");
  }
  return Tensor{element, *shape, numbers.subspan(begin, end - begin)};
}

}  // namespace

std::size_t Tensor::size() const {
  return bytes.size() / bytes_of(element);
}

float float_of_half(std::uint16_t bits) noexcept {
  constexpr std::uint32_t kExponent = 0x7C00;
  const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16U;
  const std::uint32_t rest = (std::uint32_t{bits} & 0x7FFFU) << 13U;
  if ((bits & kExponent) == kExponent) return std::bit_cast<float>(sign | 0x7F800000U | rest);
  // The exponents of the two are 112 apart, which a multiplication sets right for the smallest numbers, too.
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) * 0x1p112F) | sign);
}

double Tensor::number(std::size_t at) const {
  const std::byte* from = bytes.data() + at * bytes_of(element);
  switch (element) {
    case Element::f16:
      return static_cast<double>(float_of_half(load<std::uint16_t>(from)));
    case Element::f32:
      return static_cast<double>(load<float>(from));
    case Element::f64:
      return load<double>(from);
    default:
      return static_cast<double>(whole_number(at));
  }
}

std::int64_t Tensor::whole_number(std::size_t at) const {
  const std::byte* from = bytes.data() + at * bytes_of(element);
  switch (element) {
    case Element::i8:
      return load<std::int8_t>(from);
    case Element::i32:
      return load<std::int32_t>(from);
    case Element::i64:
      return load<std::int64_t>(from);
    default:
      return 0;
  }
}

result<Safetensors, std::string> Safetensors::read(FileBytes file) {
  const std::span<const std::byte> bytes = std::as_const(file).bytes();
  if (bytes.size() < kLengthBytes) return std::string("is no safetensors file; it is too short");
  const auto length = load<std::uint64_t>(bytes.data());
  if (length > kLongestHeader) return std::string("is no safetensors file, or one with too long a header");
  if (length > bytes.size() - kLengthBytes) return std::string("was cut off in its header; fetch it again");
  const std::string_view text = std::as_const(file).text().substr(kLengthBytes, static_cast<std::size_t>(length));
  const ModelJson header = parse_model_json(text);
  if (!header.fault.empty()) return "has a header that " + header.fault;
  const auto numbers = bytes.subspan(kLengthBytes + static_cast<std::size_t>(length));
  Safetensors made;
  for (const auto& [name, described] : header.value.items()) {
    const auto element = element_of(text_at(described, "dtype"));
    if (!element) continue;
    auto tensor = tensor_of(described, *element, numbers);
    if (!tensor) return "has a tensor that " + tensor.error() + "; fetch it again";
    made.tensors_.emplace(name, *std::move(tensor));
  }
  made.file_ = std::move(file);  // its bytes stay where they are
  return made;
}

const Tensor* Safetensors::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

}  // namespace persona
