// A bar on stderr for long work, on terminals only.
#pragma once

#include <cstdint>
#include <string>

namespace lattice::cli {

class Progress {
 public:
  Progress(std::string what, int64_t total);
  ~Progress(); // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step();

 private:
  void draw() const;
  std::string what_;
  int64_t total_, done_ = 0;
  bool shown_;
};

} // namespace lattice::cli
