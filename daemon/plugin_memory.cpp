#include "daemon/plugin_memory.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace personad {

using nlohmann::json;
using persona::ContextMessage;

namespace {

std::string said(const PluginAnswer& answer) {
  switch (answer.end) {
    case PluginAnswer::End::result:
      return "answered";
    case PluginAnswer::End::error:
      return "answered with error " + std::to_string(answer.code);
    case PluginAnswer::End::timed_out:
      return "did not answer in time";
    case PluginAnswer::End::lost:
      return "could not be asked, or went away before it answered";
  }
  return "";
}

// Roughly: what bounds count.
std::size_t bytes_of(const std::vector<ContextMessage>& messages) {
  std::size_t bytes = 0;
  for (const ContextMessage& message : messages) bytes += 64 + message.content.size() + message.tool_calls.size();
  return bytes;
}

}  // namespace

PluginMemory::~PluginMemory() {
  process_->on_ready({});
  process_->stop({});
}

void PluginMemory::start_holding() {
  process_->on_ready([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->hand_over();
  });
}

bool PluginMemory::holding() const {
  return process_->state() == PluginProcess::State::starting || process_->state() == PluginProcess::State::restarting;
}

bool PluginMemory::hold(Held held) {
  const PluginLimits& limits = process_->limits();
  if (held_.size() >= limits.held_calls || held_bytes_ + held.bytes > limits.queue_bytes) return false;
  held_bytes_ += held.bytes;
  held_.push_back(std::move(held));
  return true;
}

void PluginMemory::hand_over() {
  held_bytes_ = 0;
  for (Held& held : std::exchange(held_, {})) {
    if (held.forgets) {
      process_->call("forget", std::move(held.params), [](const PluginAnswer&) {});
    } else {
      update(std::move(held.params));
    }
  }
}

void PluginMemory::update_history(std::vector<ContextMessage> messages, const std::string& key) {
  const std::size_t bytes = bytes_of(messages);
  json params{{"messages", plugin_messages(std::move(messages))}, {"session_id", key}};
  if (!holding()) return update(std::move(params));
  if (!hold({false, key, std::move(params), bytes})) ++lost_updates_;
}

void PluginMemory::update(json params) {
  process_->call("update_history", std::move(params), [weak = weak_from_this()](const PluginAnswer& answer) {
    const auto self = weak.lock();
    if (!self || answer.end == PluginAnswer::End::result) return;
    ++self->lost_updates_;
    self->complain("update_history", said(answer));
  });
}

void PluginMemory::build_conversation_context(const std::string& utterance, const std::string& key,
                                              std::function<void(Messages)> done) {
  ask("build_conversation_context", {{"utterance", utterance}, {"session_id", key}}, read_plugin_context,
      std::move(done));
}

void PluginMemory::get_history(const std::string& key, std::function<void(Messages)> done) {
  ask("get_history", json{{"session_id", key}}, read_plugin_messages, std::move(done));
}

void PluginMemory::ask(std::string_view method, json params, Reader reader, std::function<void(Messages)> done) {
  process_->call(method, std::move(params),
                 [self = shared_from_this(), method, reader, done = std::move(done)](PluginAnswer answer) {
                   done(self->read(method, std::move(answer), reader));
                 });
}

PluginMemory::Messages PluginMemory::read(std::string_view method, PluginAnswer answer, Reader reader) {
  if (answer.end != PluginAnswer::End::result) {
    complain(method, said(answer));
    return std::nullopt;
  }
  PluginMessages made = reader(std::move(answer.result), process_->limits().messages);
  if (made.wrong.empty()) return std::move(made.messages);
  complain(method, made.wrong);
  return std::nullopt;
}

void PluginMemory::forget(const std::string& key, std::function<void(bool)> done) {
  // What it was not told yet it need not forget.
  std::erase_if(held_, [&](const Held& held) {
    if (held.key == key) held_bytes_ -= held.bytes;
    return held.key == key;
  });
  json params = {{"session_id", key}};
  // It is told once it runs, but whoever asks for it now is not told that it is done.
  if (holding()) static_cast<void>(hold({true, key, params, key.size()}));
  process_->call("forget", std::move(params), [done = std::move(done)](const PluginAnswer& answer) {
    done(answer.end == PluginAnswer::End::result);
  });
}

void PluginMemory::search(const std::string& query, const std::string& key, std::size_t most,
                          std::function<void(Found)> done) {
  json params{{"query", query}, {"session_id", key}, {"limit", most}};
  process_->call("search", std::move(params), [done = std::move(done)](PluginAnswer answer) {
    if (answer.end != PluginAnswer::End::result || !answer.result.is_array()) return done(std::nullopt);
    done(std::move(answer.result));
  });
}

void PluginMemory::complain(std::string_view method, std::string_view what) {
  const auto held = log_limit_.allow(std::chrono::steady_clock::now());
  if (!held) return;
  spdlog::warn("memory plugin {}: {}: {} ({} failures since the last such line)", process_->name(), method, what,
               *held + 1);
}

}  // namespace personad
