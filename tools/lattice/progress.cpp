// The bar of progress.h.
#include "tools/lattice/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace lattice::cli {

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)), total_(total > 0 ? total : 1), shown_(isatty(STDERR_FILENO) == 1) {
  draw();
}

Progress::~Progress() {
  if (shown_) (void)std::fputs("\r\033[K", stderr);
}

void Progress::step() {
  ++done_;
  draw();
}

void Progress::draw() const {
  if (!shown_) return;
  constexpr int64_t width = 30;
  const auto filled = static_cast<size_t>(width * std::min(done_, total_) / total_);
  const std::string bar =
      std::string(filled, '=') + std::string(static_cast<size_t>(width) - filled, ' ');
  (void)std::fputs(fmt::format("\r{} [{}] {}/{}", what_, bar, done_, total_).c_str(), stderr);
}

} // namespace lattice::cli
