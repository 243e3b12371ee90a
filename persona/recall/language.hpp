#pragma once
#include <cstdint>
#include <string_view>

// Languages as far as finding words in them goes.
namespace persona {

/// A language whose words can be brought to their stems; `none` for all others.
/// Source: the stemmers of Snowball (libstemmer 2.2). Values are stored: new ones go to the end.
enum class Language : std::uint8_t {
  none,
  arabic,
  armenian,
  basque,
  catalan,
  danish,
  dutch,
  english,
  finnish,
  french,
  german,
  greek,
  hindi,
  hungarian,
  indonesian,
  irish,
  italian,
  lithuanian,
  nepali,
  norwegian,
  portuguese,
  romanian,
  russian,
  serbian,
  spanish,
  swedish,
  tamil,
  turkish,
  yiddish,
};
inline constexpr std::size_t kLanguages = 29;

/// Of a BCP 47 tag ("de-DE", "DE", "pt_BR"): its first part counts.
[[nodiscard]] Language language_of(std::string_view tag) noexcept;
/// Its ISO 639-1 code ("de"); empty for `none`.
[[nodiscard]] std::string_view code(Language language) noexcept;
/// Its name as Snowball has it ("german"); null for `none`.
[[nodiscard]] const char* stemmer_name(Language language) noexcept;

/// A set of languages, one bit each. Values are stored.
class LanguageSet {
 public:
  LanguageSet() = default;
  explicit LanguageSet(std::uint32_t bits) : bits_(bits) {}
  void add(Language language) { bits_ |= bit(language); }
  void add(LanguageSet other) { bits_ |= other.bits_; }
  [[nodiscard]] bool has(Language language) const { return (bits_ & bit(language)) != 0; }
  [[nodiscard]] std::uint32_t bits() const { return bits_; }

 private:
  static constexpr std::uint32_t bit(Language language) { return 1u << static_cast<unsigned>(language); }
  std::uint32_t bits_ = 0;
};

}  // namespace persona
