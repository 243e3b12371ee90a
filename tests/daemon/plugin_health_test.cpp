#include "daemon/plugin_health.hpp"

#include <doctest/doctest.h>

#include "daemon/plugin_lines.hpp"

namespace {

using namespace std::chrono_literals;
using personad::PluginHealth;
using personad::PluginLimits;
using personad::PluginLines;

PluginHealth::Time at(std::chrono::milliseconds time) {
  return PluginHealth::Time(time);
}

/// Always the longest wait.
PluginHealth health(const PluginLimits& limits = {}) {
  return {limits, [](std::int64_t most) { return most; }};
}

std::vector<std::string> lines_of(PluginLines& lines, std::string_view piece) {
  lines.add(piece);
  std::vector<std::string> all;
  std::string_view line;
  while (lines.next(line)) all.emplace_back(line);
  return all;
}

}  // namespace

TEST_CASE("a plugin is hung after calls in a row without an answer, not when one is answered in between") {
  PluginHealth plugin = health();
  plugin.started(at(0s));
  CHECK_FALSE(plugin.timed_out());
  CHECK_FALSE(plugin.timed_out());
  plugin.answered();
  CHECK_FALSE(plugin.timed_out());
  CHECK_FALSE(plugin.timed_out());
  CHECK(plugin.timed_out());
  plugin.started(at(9s));
  CHECK_FALSE(plugin.timed_out());
}

TEST_CASE("a plugin babbles when it writes more than a burst, or on and on faster than ten lines a second") {
  PluginHealth plugin = health();
  plugin.started(at(0s));
  for (int i = 0; i < 64; ++i) CHECK_FALSE(plugin.stray(at(0s)));
  CHECK(plugin.stray(at(0s)));
  CHECK_FALSE(plugin.stray(at(100ms)));
  CHECK(plugin.stray(at(150ms)));
  for (int i = 0; i < 64; ++i) CHECK_FALSE(plugin.stray(at(1h)));
  CHECK(plugin.stray(at(1h)));

  plugin.started(at(2h));
  bool babbles = false;
  for (int i = 0; i < 10000; ++i) babbles = babbles || plugin.stray(at(2h + i * 100ms));
  CHECK_FALSE(babbles);
}

TEST_CASE("a plugin that fails is started again after waits that double, up to a minute, and anew once it was well") {
  PluginHealth plugin = health();
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 9; ++i) {
    plugin.started(at(0s));
    waits.push_back(plugin.ended(at(100s)).count());  // never ready: however long it took, it was not well
  }
  CHECK(waits == std::vector<std::int64_t>{500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000});
  plugin.started(at(0s));
  plugin.ready(at(10s));
  CHECK(plugin.ended(at(39s)) == 60s);
  plugin.started(at(0s));
  plugin.ready(at(10s));
  CHECK(plugin.ended(at(40s)) == 500ms);
}

TEST_CASE("lines of a plugin come out whole, however they are cut into pieces") {
  PluginLines lines(8);
  CHECK(lines_of(lines, "on").empty());
  CHECK(lines_of(lines, "e\ntwo\r\n\nth") == std::vector<std::string>{"one", "two", ""});
  CHECK(lines_of(lines, "").empty());
  CHECK(lines_of(lines, "ree\n") == std::vector<std::string>{"three"});
  CHECK(lines_of(lines, "12345678\n") == std::vector<std::string>{"12345678"});
  CHECK_FALSE(lines.too_long());
}

TEST_CASE("a line of a plugin over the bound ends its stream, with a line end or without") {
  PluginLines endless(8);
  CHECK(lines_of(endless, "ok\n12345678").size() == 1);
  CHECK_FALSE(endless.too_long());
  CHECK(lines_of(endless, "9").empty());
  CHECK(endless.too_long());
  CHECK(lines_of(endless, "\nok\n").empty());

  PluginLines ended(8);
  CHECK(lines_of(ended, "123456789\nok\n").empty());
  CHECK(ended.too_long());
}
