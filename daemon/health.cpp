#include "daemon/health.hpp"

namespace personad {

void answer_health(Request& request, const Health& health) {
  const std::string_view topic = request.message().type;
  bool status = true;  // is_alive: we are, or nobody would answer
  if (topic.ends_with(".is_ready")) status = health.ready;
  if (topic.ends_with(".all_loaded")) status = health.all_loaded;
  request.answer_flat({{"status", status}});
}

}  // namespace personad
