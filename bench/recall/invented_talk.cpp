#include "bench/recall/invented_talk.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace bench {
namespace {

constexpr std::size_t kInvented = 30000;
constexpr std::size_t kMostFrequent = 100;

// Words that carry no meaning alone. The first ones lead, the others alternate with those below.
constexpr const char* kFunctionWords[] = {
    "the",  "i",    "you",  "to",   "a",     "and",  "it",   "is",    "of",   "in",    "that", "for",
    "on",   "my",   "was",  "with", "have",  "we",   "do",   "this",  "be",   "are",   "so",   "but",
    "not",  "at",   "me",   "what", "they",  "he",   "she",  "your",  "just", "if",    "all",  "about",
    "can",  "will", "from", "or",   "there", "had",  "when", "her",   "out",  "would", "an",   "been",
    "them", "did",  "how",  "were", "has",   "some", "his",  "which", "who",  "then",  "than", "our"};
constexpr std::size_t kLeading = 20;

constexpr const char* kCommonWords[] = {
    "time",   "people",  "know",     "good",     "day",      "year",      "think",   "work",      "see",
    "week",   "home",    "family",   "friend",   "look",     "way",       "want",    "love",      "new",
    "come",   "feel",    "make",     "house",    "thing",    "kid",       "help",    "find",      "life",
    "night",  "start",   "school",   "dog",      "garden",   "call",      "place",   "food",      "music",
    "book",   "morning", "play",     "room",     "car",      "doctor",    "mother",  "dinner",    "city",
    "money",  "door",    "water",    "story",    "phone",    "kitchen",   "walk",    "bread",     "train",
    "light",  "picture", "birthday", "summer",   "brother",  "sister",    "tea",     "coffee",    "plan",
    "party",  "song",    "game",     "letter",   "street",   "shop",      "market",  "river",     "mountain",
    "beach",  "weather", "rain",     "snow",     "winter",   "spring",    "autumn",  "evening",   "window",
    "table",  "chair",   "bed",      "lamp",     "bottle",   "glass",     "plate",   "knife",     "spoon",
    "apple",  "cheese",  "butter",   "milk",     "egg",      "fish",      "chicken", "rice",      "soup",
    "salad",  "cake",    "sugar",    "salt",     "pepper",   "lemon",     "orange",  "banana",    "tomato",
    "potato", "onion",   "cat",      "horse",    "bird",     "sheep",     "cow",     "pig",       "mouse",
    "rabbit", "tree",    "flower",   "grass",    "leaf",     "stone",     "sand",    "field",     "forest",
    "lake",   "island",  "bridge",   "road",     "bus",      "bicycle",   "boat",    "plane",     "ticket",
    "hotel",  "holiday", "journey",  "suitcase", "map",      "teacher",   "student", "lesson",    "exam",
    "paper",  "pencil",  "office",   "meeting",  "boss",     "colleague", "job",     "project",   "computer",
    "screen", "message", "email",    "number",   "name",     "address",   "key",     "wallet",    "coat",
    "shirt",  "shoe",    "hat",      "glove",    "umbrella", "dress",     "colour",  "paint",     "guitar",
    "piano",  "concert", "film",     "theatre",  "museum",   "photo",     "camera",  "football",  "tennis",
    "team",   "race",    "prize",    "winner",   "health",   "medicine",  "pain",    "tooth",     "head",
    "hand",   "foot",    "arm",      "eye",      "ear",      "hair",      "heart",   "neighbour", "cousin",
    "uncle",  "aunt",    "wedding",  "baby",     "child",    "parent",    "husband", "wife",      "bank",
    "price",  "bill",    "rent"};

// Of one to four syllables, the more frequent ones shorter, as words are.
std::string invented_word(std::mt19937_64& random, std::size_t rank) {
  constexpr std::string_view kConsonants[] = {"b", "d", "f", "g", "k",  "l",  "m",  "n",  "p",  "r",
                                              "s", "t", "v", "z", "br", "dr", "gl", "pl", "st", "tr"};
  constexpr std::string_view kVowels = "aeiou";
  constexpr std::string_view kEnds = "lmnrtk";
  const std::size_t syllables = 2 + (rank > 2000 ? 1 : 0) + random() % 2;
  std::string word;
  for (std::size_t i = 0; i < syllables; ++i) {
    word += kConsonants[random() % std::size(kConsonants)];
    word += kVowels[random() % kVowels.size()];
  }
  return word + kEnds[random() % kEnds.size()];
}

}  // namespace

InventedTalk::InventedTalk(std::uint64_t seed) : random_(seed) {
  const auto add = [this](const char* word) { words_.emplace_back(word); };
  std::size_t function_words = 0;
  for (; function_words < kLeading; ++function_words) add(kFunctionWords[function_words]);
  for (const char* word : kCommonWords) {
    if (function_words < std::size(kFunctionWords)) add(kFunctionWords[function_words++]);
    add(word);
    if (words_.size() <= kMostFrequent) common_.emplace_back(word);
  }
  // The language is the same whatever is said in it.
  std::mt19937_64 language(30000);
  std::unordered_set<std::string> known(words_.begin(), words_.end());
  for (std::size_t rank = 0; rank < kInvented;) {
    std::string word = invented_word(language, rank);
    if (!known.insert(word).second) continue;
    words_.push_back(std::move(word));
    ++rank;
  }
  double sum = 0;
  for (std::size_t rank = 1; rank <= words_.size(); ++rank) up_to_.push_back(sum += 1 / static_cast<double>(rank));
}

// The library's distributions differ from one library to another.
std::size_t InventedTalk::below(std::size_t end) {
  return static_cast<std::size_t>(random_() % end);
}

const std::string& InventedTalk::word() {
  const double share = static_cast<double>(random_() >> 11) * 0x1p-53;
  const auto found = std::ranges::upper_bound(up_to_, share * up_to_.back());
  return words_[std::min(static_cast<std::size_t>(found - up_to_.begin()), words_.size() - 1)];
}

std::string InventedTalk::turn() {
  constexpr std::size_t kFewest = 5;
  constexpr std::size_t kMost = 25;
  std::string said;
  const std::size_t words = kFewest + below(kMost - kFewest + 1);
  for (std::size_t i = 0; i < words; ++i) {
    if (i > 0) said += ' ';
    said += word();
  }
  return said;
}

std::string InventedTalk::common_question(std::size_t words) {
  std::vector<std::string> left = common_;
  std::string question;
  for (std::size_t i = 0; i < words && !left.empty(); ++i) {
    const auto next = left.begin() + static_cast<std::ptrdiff_t>(below(left.size()));
    if (i > 0) question += ' ';
    question += *next;
    left.erase(next);
  }
  return question;
}

std::string InventedTalk::question_about(std::string_view turn, std::size_t words) {
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 0; i < turn.size(); ++i) {
    if (turn[i] == ' ') begins.push_back(i + 1);
  }
  if (begins.size() <= words) return std::string(turn);
  const std::size_t first = below(begins.size() - words + 1);
  begins.push_back(turn.size() + 1);
  return std::string(turn.substr(begins[first], begins[first + words] - begins[first] - 1));
}

}  // namespace bench
