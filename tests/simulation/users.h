// What people do with their Jobs while these wait or run: they scale them, mend words that were
// wrong, resize pods in place, delete a Job and make it again, run the same work once more.
#pragma once

#include <string>
#include <vector>

#include "tests/simulation/world.h"

namespace gangplan::simulation {

class Users {
 public:
  explicit Users(World& world);

  void Scale();   // profile scaling
  void Mend();    // profile mended
  void Resize();  // profile resized
  void Remake();
  // Takes a gate away, or has pods made without one from now on.
  void Ungate();   // profile remade
  void Suspend();  // profile suspended
  void Hold();     // profile held
  // What was wrong is right, what was too large is smaller.
  void Heal();
  bool coming() const { return coming_ > 0; }  // a Job will be added
  void Rest() { rest_ = true; }                // none any more

 private:
  // A random Job that is not done and for which `fits` holds; null: there is none.
  Job* Choose(bool (*fits)(const Job&));
  void ScaleTo(Job& job, int32_t size);
  void DeleteSurplus(Job& job);
  void MendOne(Job& job);
  void ChangeWaitingPods(Job& job);
  void RunAgain(const Job& done);
  void AddLater(Job job, absl::Duration delay);

  World& world_;
  int coming_ = 0;
  bool rest_ = false;
};

}  // namespace gangplan::simulation
