// Tasks that idle threads take over from busy ones.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <vector>

namespace spotree::proof {

template <class Task>
class TaskPool {
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

    // The next task, or nothing once `over` says that it is time to go. `done` is due for every task taken.
    template <class Over>
    std::optional<Task> take(Over&& over) {
        std::optional<Task> task;
        ++waiting_;
        while (!over() && !next(task)) {
        }
        --waiting_;
        return task;
    }

    // What is left of a task that was stopped comes first again.
    void done(std::vector<Task> left) {
        {
            std::scoped_lock hold(lock_);
            --busy_;
            queued_ += int(left.size());
            tasks_.insert(tasks_.begin(), std::make_move_iterator(left.begin()),
                          std::make_move_iterator(left.end()));
        }
        changed_.notify_all();
    }

    // Nothing left to do and nobody doing anything.
    bool idle() {
        std::scoped_lock hold(lock_);
        return tasks_.empty() && busy_ == 0;
    }

    // Whether whoever does a task is to return what is left of it.
    bool paused() const { return paused_.load(std::memory_order_relaxed); }

    // Looks at all that is left while nobody works; false, without a look, if `gave_up` says so first. With
    // `for_good` nobody takes anything any more.
    template <class Look, class GaveUp>
    bool look(Look&& at, GaveUp&& gave_up, bool for_good) {
        paused_ = true;
        std::unique_lock hold(lock_);
        while (busy_ > 0 && !gave_up()) changed_.wait_for(hold, std::chrono::milliseconds(2));
        const bool quiet = busy_ == 0;
        if (quiet) at(tasks_);
        paused_ = for_good && quiet;
        changed_.notify_all();
        return quiet;
    }

  private:
    bool next(std::optional<Task>& task) {
        std::unique_lock hold(lock_);
        if (tasks_.empty() || paused()) changed_.wait_for(hold, std::chrono::milliseconds(2));
        if (tasks_.empty() || paused()) return false;
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
    std::atomic<bool> paused_{false};
    int busy_ = 0;
};

}  // namespace spotree::proof
