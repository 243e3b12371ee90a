#include "persona/personas.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "persona/memory/foreign_memory.hpp"

namespace persona {
namespace {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "personas-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  void remove(const std::string& name) const { std::filesystem::remove(path_ / name); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

using Ids = std::vector<std::string>;

/// A program that does nothing.
class IdleProgram : public ForeignMemory {
 public:
  void update_history(std::vector<ContextMessage>, const std::string&) override {}
  void build_conversation_context(const std::string&, const std::string&,
                                  std::function<void(std::optional<std::vector<ContextMessage>>)> done) override {
    done(std::nullopt);
  }
  void forget(const std::string&, std::function<void(bool)> done) override { done(false); }
};

/// Starts such programs, and counts them.
class IdlePrograms : public ForeignMemories {
 public:
  int opened = 0;
  bool installed = true;

  std::shared_ptr<ForeignMemory> open(const std::string&, const nlohmann::json&, std::string& warning) override {
    if (!installed) {
      warning = "not installed";
      return nullptr;
    }
    ++opened;
    return std::make_shared<IdleProgram>();
  }
};

TEST_CASE("without any persona there is the built-in default") {
  const Personas personas;
  REQUIRE(personas.find("default") != nullptr);
  CHECK(personas.default_id() == "default");
  CHECK(personas.find("default")->memory);
  CHECK(personas.of_id("heard of only").memory);
  CHECK(personas.find("heard of only") == nullptr);
}

TEST_CASE("all JSON files of a folder are read but for hidden ones, and a broken one stops nobody") {
  const Folder folder;
  folder.write("ada.json", R"({"name": "Ada"})");
  folder.write("bob.json", "{}");
  folder.write("broken.json", "{");
  folder.write(".hidden.json", "{}");
  folder.write("notes.txt", "x");
  Personas personas;
  const auto loaded = personas.load(folder.path());
  CHECK(loaded.count == 2);
  REQUIRE(loaded.warnings.size() == 1);
  CHECK(loaded.warnings[0].find("broken.json") != std::string::npos);
  std::vector<std::string> warnings;
  personas.choose_default("Ada", "", warnings);
  CHECK(personas.ids() == Ids{"Ada", "bob"});
  CHECK(warnings.empty());
}

TEST_CASE("of two files with one name the first wins, and the warning names both") {
  const Folder folder;
  folder.write("1.json", R"({"name": "Ada", "memory_module": null})");
  folder.write("2.json", R"({"name": "Ada"})");
  Personas personas;
  const auto loaded = personas.load(folder.path());
  CHECK(loaded.count == 1);
  REQUIRE(loaded.warnings.size() == 1);
  CHECK(loaded.warnings[0].find("1.json") != std::string::npos);
  CHECK(loaded.warnings[0].find("2.json") != std::string::npos);
  CHECK(personas.find("Ada")->memory == nullptr);
}

TEST_CASE("a file that broke since keeps its last good version, one that is gone goes") {
  const Folder folder;
  folder.write("ada.json", R"({"name": "Ada", "memory_module": null})");
  folder.write("bob.json", R"({"name": "Bob"})");
  Personas personas;
  personas.load(folder.path());
  const auto memory_in_use = personas.find("Bob")->memory;
  folder.write("ada.json", "{ half writ");
  folder.remove("bob.json");
  const auto loaded = personas.load(folder.path());
  REQUIRE(personas.find("Ada") != nullptr);
  CHECK(personas.find("Ada")->memory == nullptr);
  CHECK(personas.find("Bob") == nullptr);
  REQUIRE(loaded.warnings.size() == 1);
  CHECK(loaded.warnings[0].find("last good version") != std::string::npos);
  CHECK(memory_in_use->window_messages() == 5);
}

TEST_CASE("a persona whose file says what it said goes on with its program; another text, and it starts anew") {
  const Folder folder;
  folder.write("ada.json", R"({"memory_module": "idle"})");
  folder.write("bob.json", R"({"memory_module": "idle"})");
  IdlePrograms programs;
  Personas personas;
  personas.look_for_foreign_memories(&programs);
  personas.load(folder.path());
  CHECK(programs.opened == 2);
  const auto of_ada = personas.find("ada")->memory;
  const auto of_bob = personas.find("bob")->memory;
  CHECK(of_ada->foreign() != of_bob->foreign());

  folder.write("bob.json", R"({"memory_module": "idle", "idle": {"size": 3}})");
  personas.load(folder.path());
  CHECK(programs.opened == 3);
  CHECK(personas.find("ada")->memory == of_ada);
  CHECK(personas.find("bob")->memory != of_bob);

  folder.write("ada.json", "{ half writ");
  personas.load(folder.path());
  folder.write("ada.json", R"({"memory_module": "idle"})");
  personas.load(folder.path());
  CHECK(programs.opened == 3);
  CHECK(personas.find("ada")->memory == of_ada);
}

TEST_CASE("a file that is ignored for its name starts no program") {
  const Folder folder;
  folder.write("1.json", R"({"name": "Ada", "memory_module": "idle"})");
  folder.write("2.json", R"({"name": "Ada", "memory_module": "idle"})");
  IdlePrograms programs;
  Personas personas;
  personas.look_for_foreign_memories(&programs);
  for (int i = 0; i < 2; ++i) {
    const auto loaded = personas.load(folder.path());
    CHECK(loaded.warnings.size() == 1);
    CHECK(programs.opened == 1);
  }
}

TEST_CASE("a program that was not there is looked for at each load, and the warning stays until it is") {
  const Folder folder;
  folder.write("ada.json", R"({"memory_module": "idle"})");
  IdlePrograms programs;
  programs.installed = false;
  Personas personas;
  personas.look_for_foreign_memories(&programs);
  CHECK(personas.load(folder.path()).warnings.size() == 1);
  CHECK(personas.load(folder.path()).warnings.size() == 1);
  programs.installed = true;
  CHECK(personas.load(folder.path()).warnings.empty());
  CHECK(personas.find("ada")->memory);
}

TEST_CASE("what is odd about a file is said at each load") {
  const Folder folder;
  folder.write("ada.json", R"({"ovos-agents-short-term-memory-plugin": {"max_history": "many"}})");
  Personas personas;
  CHECK(personas.load(folder.path()).warnings.size() == 1);
  const auto memory = personas.find("ada")->memory;
  CHECK(personas.load(folder.path()).warnings.size() == 1);
  CHECK(personas.find("ada")->memory == memory);
}

TEST_CASE("a folder that is gone is a warning, and what was read from it stays") {
  Personas personas;
  {
    const Folder folder;
    folder.write("ada.json", R"({"name": "Ada"})");
    personas.load(folder.path());
  }
  const auto loaded = personas.load("/nowhere/at/all");
  REQUIRE(loaded.warnings.size() == 1);
  CHECK(loaded.warnings[0].find("/nowhere/at/all") != std::string::npos);
  CHECK(personas.find("Ada") != nullptr);
  Personas fresh;
  CHECK(fresh.load("/nowhere/at/all").count == 0);
  CHECK(fresh.find(fresh.default_id()) != nullptr);
}

TEST_CASE("the default is the configured one, else that of OVOS, else the only file, else the built-in one") {
  const Folder folder;
  Personas personas;
  std::vector<std::string> warnings;
  const auto chosen = [&](std::string_view configured, std::string_view from_ovos) {
    personas.load(folder.path());
    warnings.clear();
    personas.choose_default(configured, from_ovos, warnings);
    REQUIRE(personas.find(personas.default_id()) != nullptr);
    return personas.default_id();
  };
  CHECK(chosen("", "") == "default");
  CHECK(warnings.empty());
  folder.write("ada.json", R"({"name": "Ada"})");
  CHECK(chosen("", "") == "Ada");
  CHECK(personas.ids() == Ids{"Ada"});
  CHECK(warnings.empty());
  CHECK(chosen("Nobody", "") == "Ada");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("Nobody") != std::string::npos);
  folder.write("bob.json", R"({"name": "Bob"})");
  CHECK(chosen("", "Bob") == "Bob");
  CHECK(chosen("Ada", "Bob") == "Ada");
  CHECK(warnings.empty());
  CHECK(chosen("Nobody", "Bob") == "Bob");
  CHECK(warnings.size() == 1);
  CHECK(chosen("", "") == "default");
  CHECK(warnings.size() == 1);
  CHECK(personas.ids() == Ids{"Ada", "Bob", "default"});
  folder.write("default.json", R"({"memory_module": null})");
  CHECK(chosen("", "") == "default");
  CHECK(warnings.empty());
  CHECK(personas.find("default")->memory == nullptr);
}

}  // namespace
}  // namespace persona
