#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "daemon/plugin_messages.hpp"
#include "daemon/plugin_process.hpp"
#include "persona/memory/foreign_memory.hpp"

namespace personad {

/// A memory that is a program of somebody else, spoken to over its standard streams.
///
/// What is to be remembered or forgotten while the program starts or starts again is held for it, in order, up to a
/// bound. Threading: io thread. Lifetime: not longer than the io context; the program is told to close when this goes.
class PluginMemory final : public persona::ForeignMemory, public std::enable_shared_from_this<PluginMemory> {
 public:
  using Messages = std::optional<std::vector<persona::ContextMessage>>;
  /// What `search` found, as the program gives it.
  using Found = std::optional<nlohmann::json>;

  explicit PluginMemory(std::shared_ptr<PluginProcess> process) : process_(std::move(process)) {}
  ~PluginMemory() override;
  PluginMemory(const PluginMemory&) = delete;
  PluginMemory& operator=(const PluginMemory&) = delete;

  void update_history(std::vector<persona::ContextMessage> messages, const std::string& key) override;
  void build_conversation_context(const std::string& utterance, const std::string& key,
                                  std::function<void(Messages)> done) override;
  void forget(const std::string& key, std::function<void(bool)> done) override;

  void get_history(const std::string& key, std::function<void(Messages)> done);
  /// Nothing when the program has no `search`.
  void search(const std::string& query, const std::string& key, std::size_t most, std::function<void(Found)> done);

  /// To be called once, after construction.
  void start_holding();
  /// Calls of `update_history` that the program did not confirm.
  [[nodiscard]] std::uint64_t lost_updates() const { return lost_updates_; }

 private:
  struct Held {
    bool forgets = false;
    std::string key;
    nlohmann::json params;
    std::size_t bytes = 0;
  };
  using Reader = PluginMessages (*)(nlohmann::json, std::size_t);

  [[nodiscard]] bool holding() const;
  bool hold(Held held);
  void hand_over();
  void update(nlohmann::json params);
  void ask(std::string_view method, nlohmann::json params, Reader reader, std::function<void(Messages)> done);
  Messages read(std::string_view method, PluginAnswer answer, Reader reader);
  void complain(std::string_view method, std::string_view what);

  std::shared_ptr<PluginProcess> process_;
  std::deque<Held> held_;
  std::size_t held_bytes_ = 0;
  std::uint64_t lost_updates_ = 0;
  LogLimiter log_limit_;
};

}  // namespace personad
