#include "daemon/ctl/terminal_text.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

using namespace personad::ctl;
using nlohmann::json;

TEST_CASE("what could act on a terminal is spelled out") {
  CHECK(one_line("\x1b[31mred\x07") == "\\x1b[31mred\\x07");
  CHECK(one_line("a\nb\tc\rd\x7f") == "a\\nb\\tc\\rd\\x7f");
  CHECK(one_line(std::string_view("nul\0end", 7)) == "nul\\x00end");
  CHECK_MESSAGE(one_line("\xC2\x9B 31m") == "\\u009b 31m", "a control sequence in one character");
  CHECK_MESSAGE(one_line("user\xE2\x80\xAE txt") == "user\\u202e txt", "text direction");
  CHECK(one_line("\xE2\x81\xA6x\xE2\x80\xA8") == "\\u2066x\\u2028");
}

TEST_CASE("words in any language stay as they are") {
  for (const auto* text : {"Grüße", "こんにちは", "שלום", "🙂", "e\xCC\x81", "x"}) CHECK(one_line(text) == text);
}

TEST_CASE("bytes that are no UTF-8 are spelled out one by one") {
  CHECK(one_line("\xFF") == "\\xff");
  CHECK(one_line("a\xC3") == "a\\xc3");
  CHECK_MESSAGE(one_line("\xC0\x9B") == "\\xc0\\x9b", "an overlong escape");
  CHECK_MESSAGE(one_line("\xE0\x82\x9B") == "\\xe0\\x82\\x9b", "another overlong escape");
  CHECK_MESSAGE(one_line("\xED\xA0\x80") == "\\xed\\xa0\\x80", "half a surrogate pair");
  CHECK(one_line("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("a paragraph keeps its line breaks and nothing else") {
  CHECK(paragraph("a\nb\r\x1b", "  ") == "a\n  b\\r\\x1b");
  CHECK(paragraph("", "  ").empty());
  CHECK(paragraph("a\n", "  ") == "a\n  ");
}

TEST_CASE("JSON for a terminal is safe and still means the same") {
  const json value = {{"a\xC2\x9B", "\x1b[0m\xE2\x80\xAE \x7f ü 🙂"}, {"b", {1, nullptr, true}}};
  for (const int indent : {-1, 2}) {
    const auto text = shown_json(value, indent);
    CHECK(json::parse(text) == value);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\xC2\x9B") == std::string::npos);
    CHECK(text.find("\xE2\x80\xAE") == std::string::npos);
    CHECK(text.find('\x7f') == std::string::npos);
    CHECK(text.find("ü 🙂") != std::string::npos);
  }
  CHECK(json::parse(shown_json("\xFF", -1)).is_string());
}

TEST_CASE("times are UTC and readable, what is no time is shown as it is") {
  CHECK(readable_time(1767225599.9) == "2025-12-31 23:59:59 UTC");
  CHECK(readable_time(0) == "1970-01-01 00:00:00 UTC");
  CHECK(readable_time(-1) == "-1");
  CHECK(readable_time(1e300) == "1e+300");
  CHECK(readable_time(std::numeric_limits<double>::quiet_NaN()).find("nan") != std::string::npos);
}

TEST_CASE("durations and sizes have the unit that fits") {
  CHECK(readable_duration(6.14) == "6.1 s");
  CHECK(readable_duration(66) == "1 min 6 s");
  CHECK(readable_duration(3 * 3600 + 5 * 60) == "3 h 5 min");
  CHECK(readable_duration(50 * 3600) == "2 d 2 h");
  CHECK(readable_bytes(0) == "0 B");
  CHECK(readable_bytes(1023) == "1023 B");
  CHECK(readable_bytes(1536) == "1.5 KiB");
  CHECK(readable_bytes(3.0 * 1024 * 1024 * 1024) == "3.0 GiB");
}

TEST_CASE("a table is aligned, also where a letter takes two columns or none") {
  Table table({{"NAME"}, {"N", Table::Align::right}, {"X"}});
  table.add({"料理", "7", "a"});
  table.add({"e\xCC\x81", "123", ""});
  table.add({"short"});
  CHECK(table.text() ==
        "NAME     N  X\n"
        "料理     7  a\n"
        "e\xCC\x81      123\n"
        "short\n");
}
