#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "bus/client.hpp"
#include "bus/sockets.hpp"

namespace bus {

/// Finds the host of a bus URL and connects a socket to it.
///
/// Each step (the name, each address) has a time limit, and `abort` ends the one that runs: a name server that does not
/// answer holds nobody up while the loop runs (the system's look-up itself cannot be cancelled, only left behind).
/// Threading: io thread only. Lifetime: it and the socket outlive `dial`.
class Dialer {
 public:
  Dialer(Executor executor, std::chrono::milliseconds limit) : executor_(executor), limit_(limit) {}

  /// In words what went wrong; empty when the socket is connected.
  [[nodiscard]] Task<std::string> dial(Socket& socket, const Url& url);
  void abort();

 private:
  struct Lookup;
  [[nodiscard]] Task<std::string> resolve(const Url& url);
  [[nodiscard]] Task<std::string> connect(Socket& socket);

  Executor executor_;
  std::chrono::milliseconds limit_;
  bool aborted_ = false;
  std::vector<tcp::endpoint> endpoints_;
  std::shared_ptr<Lookup> lookup_;
};

}  // namespace bus
