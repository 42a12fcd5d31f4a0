// How much one input may do: work as Model::work counts it, so that a turn of the lock stays short
// whatever is asked. What is left is done with the turns that follow.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <utility>

#include "topology/model.h"

namespace gangplan {

class Round {
 public:
  Round(const Model& model, int64_t most) : model_(model), most_(most) {}

  // Of each input, and of a change of the bound.
  void SetMost(int64_t most) { most_ = most; }
  void Begin() {
    end_ = Done() + most_;
    owes_look_ = owes_solve_ = false;
  }
  // So much was done beside the model.
  void Spend(int64_t work) { spent_ += work; }
  // For those who add what they do themselves.
  int64_t& spent() { return spent_; }
  int64_t Done() const { return spent_ + model_.work(); }
  bool IsOver() const { return Done() >= end_; }

  // However little is left, one group is looked at, and one is solved.
  void Owe() { owes_look_ = owes_solve_ = true; }
  bool owes_solve() const { return owes_solve_; }
  // A copy was taken, which takes as long as a solve: the one that is owed comes in the next input
  // that owes one, at the latest.
  void PutOffSolve() {
    if (!owes_solve_) return;
    put_off_ = !put_off_;
    owes_solve_ = !put_off_;
  }
  bool TakeOwedLook() { return std::exchange(owes_look_, false); }
  void TakeOwedSolve() { owes_solve_ = false; }

 private:
  const Model& model_;
  int64_t most_;
  int64_t spent_ = 0, end_ = 0;
  bool owes_look_ = false, owes_solve_ = false, put_off_ = false;
};

}  // namespace gangplan
