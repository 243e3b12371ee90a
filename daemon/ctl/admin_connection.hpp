#pragma once
#include <filesystem>
#include <memory>

#include "daemon/ctl/connection.hpp"

namespace personad::ctl {

/// personad's admin socket, connected on first use. Blocking; one request at a time.
class AdminConnection final : public Connection {
 public:
  explicit AdminConnection(std::filesystem::path path);
  ~AdminConnection() override;
  AdminConnection(const AdminConnection&) = delete;
  AdminConnection& operator=(const AdminConnection&) = delete;

  [[nodiscard]] Reply ask(std::string_view type, nlohmann::json data) override;
  [[nodiscard]] Failure tail(const std::string& session_id, const OnTurn& on_turn) override;

 private:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  std::optional<Failure> connect();
  std::optional<Failure> send(std::string_view text, Deadline deadline);
  std::optional<Failure> next_line(std::string& line, Deadline deadline);
  std::optional<Failure> wait_for(short events, Deadline deadline) const;
  [[nodiscard]] Failure cannot_connect(int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string buffer_;
  std::size_t searched_ = 0;  // how much of the buffer holds no line end
};

}  // namespace personad::ctl
