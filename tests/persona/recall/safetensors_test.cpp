#include "persona/recall/safetensors.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/persona/recall/small_model.hpp"

namespace persona {
namespace {

using nlohmann::json;

std::string fault(const std::string& file) {
  const auto read = Safetensors::read(file_of(file));
  return read ? "" : read.error();
}

std::string fault_of_tensor(const json& described, std::size_t bytes = 8) {
  return fault(safetensors_of(json{{"t", described}}, std::string(bytes, '\0')));
}

TEST_CASE("tensors are found by name, with their numbers, wherever in the file they lie") {
  const auto read = Safetensors::read(file_of(safetensors_of({{"bytes", "I8", {3}, raw<std::int8_t>({-1, 0, 127})},
                                                              {"floats", "F32", {1, 2}, raw<float>({1.5F, -2})},
                                                              {"doubles", "F64", {1}, raw<double>({0.1})},
                                                              {"whole", "I64", {2}, raw<std::int64_t>({7, -1})},
                                                              {"half", "F16", {1}, raw<std::uint16_t>({0x3C00})}})));
  REQUIRE(read.has_value());
  REQUIRE(read->find("floats") != nullptr);
  CHECK(read->find("floats")->shape == std::vector<std::size_t>{1, 2});
  CHECK(read->find("floats")->number(1) == -2);
  CHECK(read->find("bytes")->size() == 3);
  CHECK(read->find("bytes")->whole_number(0) == -1);
  CHECK(read->find("doubles")->number(0) == 0.1);
  CHECK(read->find("whole")->whole_number(1) == -1);
  CHECK(read->find("half")->number(0) == 1);
  CHECK(read->find("other") == nullptr);
}

TEST_CASE("half precision is read to the last bit, the smallest numbers too") {
  CHECK(float_of_half(0x0000) == 0);
  CHECK(std::signbit(float_of_half(0x8000)));
  CHECK(float_of_half(0xC000) == -2);
  CHECK(float_of_half(0x7BFF) == 65504);
  CHECK(float_of_half(0x0001) == std::ldexp(1.0F, -24));
  CHECK(float_of_half(0x0400) == std::ldexp(1.0F, -14));
  CHECK(float_of_half(0xFC00) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(float_of_half(0x7E00)));
}

TEST_CASE("tensors of elements that no model here needs are passed over") {
  const auto read = Safetensors::read(file_of(safetensors_of({{"odd", "BF16", {1}, "ab"}, {"ok", "I8", {1}, "c"}})));
  REQUIRE(read.has_value());
  CHECK(read->find("odd") == nullptr);
  CHECK(read->find("ok") != nullptr);
}

TEST_CASE("a file that is none is refused in words") {
  CHECK(fault("short") == "is no safetensors file; it is too short");
  CHECK(fault(raw<std::uint64_t>({1000}) + "{}") == "was cut off in its header; fetch it again");
  CHECK(fault(raw<std::uint64_t>({~std::uint64_t{0}}) + "{}") ==
        "is no safetensors file, or one with too long a header");
  CHECK(fault(raw<std::uint64_t>({2}) + "{,") == "has a header that is not JSON, or was cut off");
  const std::string deep(100'000, '[');
  CHECK(fault(raw<std::uint64_t>({deep.size()}) + deep) == "has a header that is nested too deep");
}

TEST_CASE("a tensor that is not where and what the header says is refused") {
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0, 8}}}) == "");
  const std::string beyond = "has a tensor that reaches beyond the end of the file, which was cut off; fetch it again";
  const std::string unfit = "has a tensor that has a shape that its bytes do not fit; fetch it again";
  const std::string nowhere = "has a tensor that has no place in the file; fetch it again";
  const std::string shapeless = "has a tensor that has a shape that is none; fetch it again";
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0, 9}}}) == beyond);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {8, 0}}}) == beyond);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {3}}, {"data_offsets", {0, 8}}}) == unfit);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 8}}}) == unfit);
  // Products that come round to eight bytes in 64 bits.
  const std::uint64_t huge = std::uint64_t{1} << 62U;
  CHECK(fault_of_tensor({{"dtype", "F64"}, {"shape", {huge, 4}}, {"data_offsets", {0, 8}}}) == unfit);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2, huge}}, {"data_offsets", {0, 8}}}) == unfit);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {-8, 0}}}) == nowhere);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2}}, {"data_offsets", {0}}}) == nowhere);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2}}}) == nowhere);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", {2.5}}, {"data_offsets", {0, 8}}}) == shapeless);
  CHECK(fault_of_tensor({{"dtype", "F32"}, {"shape", "2"}, {"data_offsets", {0, 8}}}) == shapeless);
}

}  // namespace
}  // namespace persona
