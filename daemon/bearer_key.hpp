#pragma once
#include <boost/system/result.hpp>
#include <string>

#include "daemon/http_proxy.hpp"
#include "persona/memory/language_model.hpp"

namespace personad {

/// The key that a model endpoint asks for. Never logged.
struct BearerKey {
  std::string text;                     ///< empty: none is configured
  bool readable_for_everybody = false;  ///< the file's mode lets any user of this host read it
};

/// Read when it is needed, so that a key may be replaced while running; the file is taken where both are named.
/// Errors: in words, which never hold the key: cannot be read, empty, or not what a header can hold.
[[nodiscard]] boost::system::result<BearerKey, std::string> read_bearer_key(const persona::ModelAddress& address,
                                                                            const Environment& environment);

}  // namespace personad
