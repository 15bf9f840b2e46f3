// `lattice completion`: a script that teaches a shell the commands and options, written from the
// tree of options itself. Nothing about a command is repeated here.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/lattice/command.h"
#include "tools/lattice/console.h"

namespace lattice::cli {
namespace {

struct Word {
  std::string name; // "--inputs"
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices; // of the value; empty: a file, or anything
};

struct CommandWords {
  std::string name, help;
  std::vector<Word> options;
  std::vector<std::string> choices; // of the first positional
};

// CLI11 shows a choice in the name of the type, as "TEXT:{f32,f16}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.find('}');
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  for (size_t at = begin + 1; at < end;) {
    const size_t comma = std::min(type.find(',', at), end);
    choices.push_back(type.substr(at, comma - at));
    at = comma + 1;
  }
  return choices;
}

void add_options(CLI::App& app, CommandWords& words) {
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    if (option->nonpositional()) {
      const auto add = [&](const std::string& name) {
        words.options.push_back({name, option->get_description(),
                                 option->get_expected_max() > 0 && option->get_type_size_max() > 0,
                                 choices_of(*option)});
      };
      for (const std::string& name : option->get_lnames()) add("--" + name);
      for (const std::string& name : option->get_snames()) add("-" + name);
    } else if (words.choices.empty()) {
      words.choices = choices_of(*option);
    }
  }
  // Groups of options are parts of the command without a name of their own.
  for (CLI::App* part :
       app.get_subcommands([](const CLI::App* each) { return each->get_name().empty(); }))
    add_options(*part, words);
}

std::vector<CommandWords> words_of(CLI::App& root) {
  std::vector<CommandWords> commands;
  for (CLI::App* app :
       root.get_subcommands([](const CLI::App* each) { return !each->get_name().empty(); })) {
    commands.push_back({app->get_name(), app->get_description(), {}, {}});
    add_options(*app, commands.back());
  }
  return commands;
}

// Within single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string bash_script(const std::vector<CommandWords>& commands) {
  std::string names, options, values;
  for (const CommandWords& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string list;
    for (const Word& word : command.options) {
      list += (list.empty() ? "" : " ") + word.name;
      if (!word.takes_value) continue;
      values += fmt::format(
          "    {}) COMPREPLY=({}); return ;;\n", shell_quoted(command.name + " " + word.name),
          word.choices.empty()
              ? "$(compgen -f -- \"$cur\")"
              : fmt::format("$(compgen -W {} -- \"$cur\")",
                            shell_quoted(fmt::format("{}", fmt::join(word.choices, " ")))));
    }
    options += fmt::format("    {}) words={} ;;\n", command.name, shell_quoted(list));
    if (!command.choices.empty()) {
      options.insert(options.size() - 4,
                     fmt::format("; places={}",
                                 shell_quoted(fmt::format("{}", fmt::join(command.choices, " ")))));
    }
  }
  return fmt::format(R"(# Completion of lattice for bash:  source <(lattice completion bash)
_lattice() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}} words= places=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$cur"))
    return
  fi
  case "$command $prev" in
{}  esac
  case "$command" in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  elif [ -n "$places" ]; then
    COMPREPLY=($(compgen -W "$places" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _lattice lattice
)",
                     names, values, options);
}

// What _arguments reads as syntax, made plain.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    names += fmt::format("    {}\n", shell_quoted(zsh_text(command.name) + ":" + command.help));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const Word& word : command.options) {
      std::string spec = fmt::format("*{}[{}]", word.name, zsh_text(word.help));
      if (word.takes_value)
        spec += word.choices.empty() ? ":value:_files"
                                     : fmt::format(":value:({})", fmt::join(word.choices, " "));
      cases += " \\\n        " + shell_quoted(spec);
    }
    cases += fmt::format(
        " \\\n        {} ;;\n",
        shell_quoted(command.choices.empty()
                         ? "*:file:_files"
                         : fmt::format("1:word:({})", fmt::join(command.choices, " "))));
  }
  return fmt::format(R"(#compdef lattice
# Completion of lattice for zsh: write it to a file _lattice in a folder of $fpath.
_lattice() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = "_lattice" ]; then _lattice "$@"; else compdef _lattice lattice; fi
)",
                     names, cases);
}

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string text = "# Completion of lattice for fish:\n"
                     "#   lattice completion fish > ~/.config/fish/completions/lattice.fish\n";
  for (const CommandWords& command : commands) {
    text += fmt::format("complete -c lattice -n __fish_use_subcommand -f -a {} -d {}\n",
                        command.name, fish_quoted(command.help));
    const std::string when = fish_quoted("__fish_seen_subcommand_from " + command.name);
    if (!command.choices.empty())
      text += fmt::format("complete -c lattice -n {} -f -a {}\n", when,
                          fish_quoted(fmt::format("{}", fmt::join(command.choices, " "))));
    for (const Word& word : command.options) {
      const bool is_long = word.name.starts_with("--");
      text += fmt::format("complete -c lattice -n {} -{} {} -d {}", when, is_long ? "l" : "s",
                          word.name.substr(is_long ? 2 : 1), fish_quoted(word.help));
      if (word.takes_value) {
        text += word.choices.empty()
                    ? " -r"
                    : fmt::format(" -x -a {}",
                                  fish_quoted(fmt::format("{}", fmt::join(word.choices, " "))));
      }
      text += "\n";
    }
  }
  return text;
}

Result<int> completion(CLI::App& root, const std::string& shell, bool json) {
  const std::vector<CommandWords> commands = words_of(root);
  const std::string script = shell == "bash"  ? bash_script(commands)
                             : shell == "zsh" ? zsh_script(commands)
                                              : fish_script(commands);
  LATTICE_CHECK(json ? print_json({{"ok", true}, {"shell", shell}, {"script", script}})
                     : print(script));
  return exit_ok;
}

} // namespace

Command add_completion(CLI::App& root) {
  auto shell = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* app = root.add_subcommand("completion", "Print completion for bash, zsh or fish");
  app->add_option("SHELL", *shell, "Which one")
      ->type_name("NAME")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  add_json(*app, *json);
  app->footer(R"(Examples:
  source <(lattice completion bash)           in ~/.bashrc
  lattice completion zsh > ~/.zfunc/_lattice  with ~/.zfunc in $fpath
  lattice completion fish > ~/.config/fish/completions/lattice.fish)");
  return {app, json, [&root, shell, json] { return completion(root, *shell, *json); }};
}

} // namespace lattice::cli
