#include "bus/broker.hpp"

#include <utility>

#include "bus/broker_server.hpp"

namespace bus {

Broker::Broker(net::io_context& io, BrokerSettings settings)
    : server_(std::make_shared<Server>(io, std::move(settings))) {}
Broker::~Broker() {
  server_->abandon();
}
boost::system::result<void, std::string> Broker::listen() {
  return server_->listen();
}
std::uint16_t Broker::port() const {
  return server_->port();
}
Link& Broker::local() {
  return server_->local();
}
void Broker::stop(std::function<void()> done) {
  server_->stop(std::move(done));
}
BrokerStatus Broker::status() const {
  return server_->status();
}

}  // namespace bus
