#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bus/broker.hpp"
#include "bus/broker_connection.hpp"
#include "bus/outbox.hpp"
#include "bus/sockets.hpp"

namespace bus {

/// The broker's inside: who is connected, and who hears what.
///
/// Ownership: the Broker, and the running coroutines of its connections, which end soon after `stop` or `abandon`.
class Broker::Server final : public Switchboard, public std::enable_shared_from_this<Server> {
 public:
  Server(net::io_context& io, BrokerSettings settings);

  [[nodiscard]] boost::system::result<void, std::string> listen();
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] Link& local() { return local_; }
  [[nodiscard]] BrokerStatus status() const;
  void stop(std::function<void()> done);
  /// The Broker is gone: ends everything at once and tells nobody.
  void abandon();

  [[nodiscard]] bool has_room() const override { return open_.size() < settings_.max_connections; }
  void refused() override { ++status_.refused; }
  [[nodiscard]] Frame opened(BrokerConnection& connection) override;
  void received(std::string_view frame) override;

 private:
  /// The inside connection of this process.
  class Local final : public Link {
   public:
    explicit Local(Server& server) : server_(server) {}
    void start(LinkHandlers handlers) override;
    void send(std::string frame) override;
    void stop(std::function<void()> done) override;
    [[nodiscard]] LinkStatus status() const override;
    void hear(std::string_view frame);
    void abandon() { handlers_ = {}; }

   private:
    Server& server_;
    LinkHandlers handlers_;
    LinkStatus status_;
  };

  [[nodiscard]] error_code bind(const tcp::endpoint& endpoint);
  [[nodiscard]] Task<void> accept_all();
  void take_in(Socket socket);
  void left(BrokerConnection* connection);
  void broadcast(const Frame& frame);
  void flush();
  void finish_if_empty();
  [[nodiscard]] std::string url() const;

  Executor executor_;
  BrokerSettings settings_;
  Acceptor acceptor_;
  Timer retry_;
  Timer last_call_;
  Local local_;
  const Frame greeting_;
  BrokerStatus status_;
  std::unordered_map<BrokerConnection*, std::shared_ptr<BrokerConnection>> connections_;
  std::vector<BrokerConnection*> open_;  // those whose handshake is done
  bool hearing_ = false;                 // what is said meanwhile goes out afterwards
  bool stopping_ = false;
  bool stopped_ = false;
  std::vector<std::function<void()>> when_stopped_;
};

}  // namespace bus
