#include "persona/recall/spelling.hpp"

#include <doctest/doctest.h>

namespace persona {
namespace {

TEST_CASE("names as speech recognition writes them are alike, other words are not") {
  CHECK(likeness("carolyn", "carolin") >= kAlike);
  CHECK(likeness("melany", "melani") >= kAlike);
  CHECK(likeness("stefan", "stephan") >= kAlike);
  CHECK(likeness("begonia", "begona") >= kAlike);
  CHECK(likeness("karolin", "carolin") >= kAlike);
  CHECK(likeness("dentist", "dinner") < kAlike);
  CHECK(likeness("apple", "april") < kAlike);
  CHECK(likeness("", "april") == 0);
}

TEST_CASE("only words of some length without figures are taken for mangled") {
  CHECK(may_be_mangled("anna"));
  CHECK_FALSE(may_be_mangled("ann"));
  CHECK_FALSE(may_be_mangled("room7"));
  CHECK_FALSE(may_be_mangled("чай1"));
  CHECK_FALSE(may_be_mangled(""));
}

TEST_CASE("words that sound alike are looked for under each first letter they may have") {
  CHECK(first_letters("karolin") == "kcqg");
  CHECK(first_letters("phil").find('f') != std::string::npos);
  CHECK(first_letters("lena") == "l");
}

}  // namespace
}  // namespace persona
