#pragma once
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// A model of meanings small enough to foresee: a text is the sum of what its words stand for, whatever their language;
/// words that it does not know stand for nothing.
inline std::vector<float> meaning_of(std::string_view text) {
  constexpr std::array<std::array<std::string_view, 4>, 6> kConcepts{{{"dog", "canine", "hund", "perro"},
                                                                      {"tea", "brew", "tee", "te"},
                                                                      {"car", "vehicle", "auto", "coche"},
                                                                      {"rain", "drizzle", "regen", "lluvia"},
                                                                      {"music", "tune", "musik", "musica"},
                                                                      {"house", "home", "haus", "casa"}}};
  std::vector<float> sum(8, 0.0F);
  std::string word;
  const auto end_word = [&] {
    for (std::size_t i = 0; i < kConcepts.size(); ++i) {
      for (const std::string_view known : kConcepts[i]) sum[i] += word == known ? 1.0F : 0.0F;
    }
    word.clear();
  };
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      end_word();
    }
  }
  end_word();
  return sum;
}

}  // namespace tests
