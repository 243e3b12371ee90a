#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bus/message.hpp"
#include "tests/fakes/bus_peer.hpp"
#include "tests/system/daemon_process.hpp"

namespace system_tests {

/// Where and for whom something is said: the context of a message.
struct Where {
  std::string session = "default";  ///< as on the wire
  std::string utterance_id = {};
  nlohmann::json session_fields = nlohmann::json::object();  ///< persona_id, response_mode, ...
  nlohmann::json context = nlohmann::json::object();         ///< peer, source, skill_id, ...

  [[nodiscard]] nlohmann::json as_context() const;
};

/// One connection to a bus, which speaks for an assistant and its components, and asks personad.
///
/// Errors: an answer that stays out, or a connection that ends, fails the test.
class Assistant {
 public:
  explicit Assistant(const std::string& url);

  /// `utterances[0]` as an entry frame.
  void say(const Where& where, const std::string& text);
  void speak(const Where& where, const std::string& text);
  void handled(const Where& where);
  /// An utterance, what is spoken in answer to it, and its end.
  void exchange(const Where& where, const std::string& question, const std::vector<std::string>& answers);
  void emit(std::string_view type, nlohmann::json data, nlohmann::json context = nlohmann::json::object());
  void send(const std::string& frame);

  /// The whole answer. A `request_id` is added where `data` is an object without one.
  bus::Message ask_whole(std::string_view topic, nlohmann::json data, nlohmann::json context);
  nlohmann::json ask(std::string_view topic, nlohmann::json data, const Where& where = {});
  /// The `result` of the answer; an error fails the test.
  nlohmann::json result(std::string_view topic, nlohmann::json data, const Where& where = {});
  /// The code and words of an answer that is an error.
  std::string error(std::string_view topic, nlohmann::json data, const Where& where = {});

  /// The topics of all that is said on the bus until one of this topic is.
  std::vector<std::string> topics_until(std::string_view topic);

  /// "role: content" of each message of a context, or of a history.
  std::vector<std::string> context(const Where& where, const std::string& utterance,
                                   nlohmann::json more = nlohmann::json::object());
  std::vector<std::string> history(const Where& where, nlohmann::json more = nlohmann::json::object());

  [[nodiscard]] tests::BusPeer& peer() { return peer_; }

 private:
  tests::BusPeer peer_;
  int asked_ = 0;
};

/// A bus of somebody else's, on a port that stays free while it is stopped.
[[nodiscard]] tests::FakeServerSettings on_free_port();

/// "role: content" of each message of a list.
[[nodiscard]] std::vector<std::string> lines_of(const nlohmann::json& messages);
using Lines = std::vector<std::string>;

}  // namespace system_tests
