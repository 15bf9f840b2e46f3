// Sessions of one program, handed out one a call, so that any number of threads can call it at
// once. A session keeps scratch memory, so only a few are kept.
#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "lattice/lattice.hpp"

namespace lattice::python {

class SessionPool {
 public:
  // One session, given back when the lease ends.
  class Lease {
   public:
    Lease(SessionPool& pool, Session session) : pool_(pool), session_(std::move(session)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(session_)); }
    Session& operator*() { return session_; }
    Session* operator->() { return &session_; }

   private:
    SessionPool& pool_;
    Session session_;
  };

  explicit SessionPool(Program program) : program_(std::move(program)) {}

  Lease lease() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Session session = std::move(free_.back());
        free_.pop_back();
        return Lease(*this, std::move(session));
      }
    }
    return Lease(*this, Session(program_));
  }

 private:
  static constexpr size_t most = 8;

  void give_back(Session session) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < most) free_.push_back(std::move(session));
  }

  Program program_;
  std::mutex mutex_;
  std::vector<Session> free_;
};

} // namespace lattice::python
