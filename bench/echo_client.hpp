#pragma once
#include <string>

#include "bench/processors.hpp"

namespace bench {

/// A service that only answers: what any process behind this bus costs at the least. Answers `bench.echo` with a frame
/// of as many bytes as the question's `answer_bytes` says. Runs until its connection ends.
void echo(const std::string& url);

/// `echo` in a process of its own, on whatever processor it likes, ended with this object.
class EchoProcess {
 public:
  EchoProcess(const std::string& url, const Apart& apart);
  ~EchoProcess();
  EchoProcess(const EchoProcess&) = delete;
  EchoProcess& operator=(const EchoProcess&) = delete;

 private:
  int pid_;
};

}  // namespace bench
