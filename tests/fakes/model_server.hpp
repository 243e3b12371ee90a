#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// One request that the fake model server got.
struct ModelRequest {
  std::string method;
  std::string target;                          ///< as the request line has it
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::size_t connection = 0;  ///< counted from 1
  [[nodiscard]] std::string header(const std::string& name) const;
  /// `messages[0].content` of a chat request; empty when there is none.
  [[nodiscard]] std::string prompt() const;
};

/// What the server does with one request.
struct ModelReply {
  enum class Then : std::uint8_t {
    keep,    ///< the connection, for another request
    close,   ///< it, orderly
    reset,   ///< it, with RST
    stream,  ///< sends the bytes again and again, until the client has enough
    drip,    ///< has sent the bytes one by one, with a pause between
    hold,    ///< sends nothing more until `release`, and then closes
  };
  std::string bytes;  ///< of the answer, with its head
  Then then = Then::keep;
  bool held = false;  ///< waits for `release` before the first byte
  std::chrono::milliseconds pause{20};

  [[nodiscard]] static ModelReply json(std::string body, unsigned status = 200, const std::string& more_headers = {});
  [[nodiscard]] static ModelReply chat(std::string_view text);
  [[nodiscard]] static ModelReply raw(std::string bytes, Then then);
  /// Never answers before `release`.
  [[nodiscard]] static ModelReply after_release(ModelReply reply);
  /// A chunked body that does not end.
  [[nodiscard]] static ModelReply endless();
  /// Says that 100 MB follow, sends one kilobyte and holds.
  [[nodiscard]] static ModelReply huge();
  /// Closes in the middle of the body that it had announced.
  [[nodiscard]] static ModelReply half();
  [[nodiscard]] static ModelReply closed_without_answer();
};

struct ModelServerSettings {
  std::uint16_t port = 0;        ///< 0: any free one
  std::string certificate_file;  ///< PEM; with it the server speaks TLS
  std::string key_file;
  std::vector<std::string> models{"a-model"};
  std::size_t dimensions = 8;  ///< of the vectors
};

/// An OpenAI-compatible server on loopback that may misbehave, in a thread of its own; a proxy too.
///
/// It answers chat, embeddings and models on its own, deterministic; what is scripted goes before that, one reply for
/// each request. A `CONNECT` is answered as a proxy does, an absolute target as if the server were that host.
/// Threading: every function may be called from any thread.
class ModelServer {
 public:
  explicit ModelServer(ModelServerSettings settings = {});
  ~ModelServer();
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// With the version: http://127.0.0.1:port/v1
  [[nodiscard]] std::string url() const;

  using ChatText = std::function<std::string(const ModelRequest&)>;
  /// What chat requests are answered with from now on; it is called on the server's thread.
  void answer_chat(ChatText text);
  using Vector = std::function<std::vector<float>(std::string_view)>;
  /// What texts are embedded with from now on; it may be called on the server's thread.
  void answer_vectors(Vector vector);
  /// The reply to the next request that has none yet, whatever it is.
  void next(ModelReply reply, std::size_t times = 1);
  /// The reply to everything that is not scripted one by one; nothing: normal answers again.
  void always(std::optional<ModelReply> reply);
  /// Closes the next connections as soon as they were accepted.
  void close_on_accept(std::size_t many);
  /// Lets everything that is held go on.
  void release();
  /// Closes every connection that is open now.
  void drop_connections();

  [[nodiscard]] std::vector<ModelRequest> requests() const;
  /// How many connections were accepted since it was made.
  [[nodiscard]] std::size_t connections() const;
  /// Waits until so many requests came in since it was made; false when they did not in time.
  [[nodiscard]] bool wait_for_requests(std::size_t many,
                                       std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  /// Waits until so many connections are open at once.
  [[nodiscard]] bool wait_for_open(std::size_t many,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  /// The vector that this server gives a text.
  [[nodiscard]] std::vector<float> vector_of(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tests
