// Tasks that idle threads take over from busy ones.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace spotree::proof {

template <class Task>
class Team {
  public:
    // Whether more threads wait than there is work for.
    bool hungry() const {
        return waiting_.load(std::memory_order_relaxed) > queued_.load(std::memory_order_relaxed);
    }

    void put(Task task) {
        {
            std::scoped_lock hold(lock_);
            tasks_.push_back(std::move(task));
            ++queued_;
        }
        changed_.notify_one();
    }

    // The next task, or nothing when there is none and `over` says that it is time to go. `done` is due for
    // every task taken.
    template <class Over>
    std::optional<Task> take(Over&& over) {
        std::optional<Task> task;
        ++waiting_;
        while (!next(task) && !over()) {
        }
        --waiting_;
        return task;
    }

    void done() {
        std::scoped_lock hold(lock_);
        --busy_;
    }

    // Nothing left to do and nobody doing anything.
    bool idle() {
        std::scoped_lock hold(lock_);
        return tasks_.empty() && busy_ == 0;
    }

  private:
    bool next(std::optional<Task>& task) {
        std::unique_lock hold(lock_);
        if (tasks_.empty()) changed_.wait_for(hold, std::chrono::milliseconds(2));
        if (tasks_.empty()) return false;
        task.emplace(std::move(tasks_.front()));
        tasks_.pop_front();
        --queued_;
        ++busy_;
        return true;
    }

    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<Task> tasks_;
    std::atomic<int> waiting_{0}, queued_{0};
    int busy_ = 0;
};

}  // namespace spotree::proof
