#include "daemon/rival_watch.hpp"

#include <doctest/doctest.h>

using namespace personad;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

bus::Message request(const std::string& id, const std::string& session = "s") {
  return {"ovos.memory.context", {{"request_id", id}}, {{"session", {{"session_id", session}}}}};
}
bus::Message answer(const std::string& id, const std::string& instance, const std::string& session = "s") {
  return {"ovos.memory.context.response",
          {{"request_id", id}},
          {{"instance", instance}, {"session", {{"session_id", session}}}}};
}
const RivalWatch::TimePoint kStart{1000s};

}  // namespace

TEST_CASE("an answer of another instance to a request of ours shows a rival; our own does not") {
  RivalWatch watch("mine");
  watch.asked(request("1"), kStart);
  CHECK_FALSE(watch.is_rival(answer("1", "mine"), kStart));
  CHECK(watch.is_rival(answer("1", "theirs"), kStart));
}

TEST_CASE("an answer to a request that we never saw shows nothing") {
  RivalWatch watch("mine");
  watch.asked(request("1"), kStart);
  CHECK_FALSE(watch.is_rival(answer("2", "theirs"), kStart));
  CHECK_FALSE(watch.is_rival(answer("1", "theirs", "another session"), kStart));
  CHECK_FALSE(watch.is_rival({"ovos.memory.context.response", {{"request_id", "1"}}, json::object()}, kStart));
}

TEST_CASE("requests are remembered for a minute, and never more than a bounded number") {
  RivalWatch watch("mine");
  watch.asked(request("old"), kStart);
  CHECK_FALSE(watch.is_rival(answer("old", "theirs"), kStart + 61s));
  for (std::size_t i = 0; i <= RivalWatch::kMaxRemembered; ++i) watch.asked(request(std::to_string(i)), kStart);
  CHECK_FALSE(watch.is_rival(answer("0", "theirs"), kStart));
  CHECK(watch.is_rival(answer("1", "theirs"), kStart));
}
