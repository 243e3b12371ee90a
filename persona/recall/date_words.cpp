#include <unicode/dtfmtsym.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>

#include "persona/recall/time_words.hpp"
#include "persona/recall/words.hpp"

namespace persona {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

// What months and weekdays are called: the words of each that tell it from the others.
struct DateNames {
  std::array<Words, 12> months;
  std::array<Words, 7> weekdays;  // from Sunday
};

// "segunda" and "feira", "期日" and "星期": what is in several names tells none of them, unless it is all there is.
template <std::size_t kNames>
void add_telling(std::array<Words, kNames>& to, const std::array<Words, kNames>& names) {
  for (std::size_t i = 0; i < kNames; ++i) {
    for (const std::string& word : names[i]) {
      const auto in =
          std::ranges::count_if(names, [&](const Words& name) { return std::ranges::find(name, word) != name.end(); });
      if (in == 1 || names[i].size() == 1) add(to[i], word);
    }
  }
}

Words words_of_name(const icu::UnicodeString& name) {
  std::string text;
  name.toUTF8String(text);
  return words_of(text, Likeness::case_and_diacritics);
}

// Months are inflected where they stand in a date ("мая"), and not by themselves ("май").
void add_names(DateNames& to, const char* locale) {
  using Symbols = icu::DateFormatSymbols;
  UErrorCode error = U_ZERO_ERROR;
  const Symbols symbols(icu::Locale(locale), error);
  if (U_FAILURE(error)) return;
  for (const auto use : {Symbols::FORMAT, Symbols::STANDALONE}) {
    std::array<Words, 12> months;
    std::array<Words, 7> weekdays;
    std::int32_t count = 0;
    const icu::UnicodeString* names = symbols.getMonths(count, use, Symbols::WIDE);
    for (std::size_t i = 0; i < months.size() && static_cast<std::int32_t>(i) < count; ++i) {
      months[i] = words_of_name(names[i]);
    }
    names = symbols.getWeekdays(count, use, Symbols::WIDE);  // the first of eight is none
    for (std::size_t i = 0; i < weekdays.size() && static_cast<std::int32_t>(i + 1) < count; ++i) {
      weekdays[i] = words_of_name(names[i + 1]);
    }
    add_telling(to.months, months);
    add_telling(to.weekdays, weekdays);
  }
}

const DateNames& names_in(Language language) {
  static thread_local std::array<std::unique_ptr<const DateNames>, kLanguages> kept;
  auto& names = kept[static_cast<std::size_t>(language)];
  if (!names) {
    auto made = std::make_unique<DateNames>();
    if (language == Language::none) {
      for (const char* locale : {"zh", "ja", "ko"}) add_names(*made, locale);
    } else {
      add_names(*made, code(language).data());
    }
    names = std::move(made);
  }
  return *names;
}

std::string english_ordinal(unsigned day) {
  const bool teen = day >= 11 && day <= 13;
  const char* const ending = teen || day % 10 > 3 || day % 10 == 0 ? "th" : std::array{"st", "nd", "rd"}[day % 10 - 1];
  return std::to_string(day) + ending;
}

}  // namespace

std::vector<std::string> date_words(double timestamp, Language language) {
  constexpr double kYear1 = -62135596800.0;
  constexpr double kYear10000 = 253402300800.0;
  if (!(timestamp >= kYear1 && timestamp < kYear10000)) return {};
  const std::chrono::sys_seconds moment(std::chrono::seconds(static_cast<std::int64_t>(std::floor(timestamp))));
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const auto number = static_cast<unsigned>(date.day());
  const DateNames& names = names_in(language);
  Words words{std::to_string(number)};
  for (const auto& word : names.months[static_cast<unsigned>(date.month()) - 1]) add(words, word);
  add(words, std::to_string(static_cast<int>(date.year())));
  for (const auto& word : names.weekdays[std::chrono::weekday(day).c_encoding()]) add(words, word);
  if (language == Language::english) words.push_back(english_ordinal(number));
  return words;
}

}  // namespace persona
