// A socket that listens, and the thread that takes connections from it.
//
// Thread rule: Open, Start and Stop from one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"

namespace gangplan {

class Listener {
 public:
  using MakeSocket = int (*)(int family, int type, int protocol);
  // Connections are completed by the kernel from here on. `port` 0: any free one. "::" is every
  // address, of IPv4 as well; where the host has no IPv6, those of IPv4. Unavailable: the address
  // and port cannot be had. `make`: tests bring their own.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const std::string& address, int port,
                                                        MakeSocket make = nullptr);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // `accepted` owns the socket that it is given, and is called on one thread.
  void Start(std::function<void(int socket)> accepted);
  // Listens no more. Safe to call again.
  void Stop();

 private:
  Listener(int socket, int stop) : socket_(socket), stop_(stop) {}
  void Loop();

  int socket_;
  const int stop_;  // readable when all ends
  int port_ = 0;
  std::function<void(int)> accepted_;
  std::thread thread_;
};

}  // namespace gangplan
