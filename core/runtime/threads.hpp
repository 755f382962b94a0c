// Threads that end together: what one of them throws stops the others and comes out at `join`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/stop.hpp"

namespace spotree {

class Threads {
  public:
    explicit Threads(Stop& stop) : stop_(stop) {}
    Threads(const Threads&) = delete;
    ~Threads() {
        if (!threads_.empty()) stop_.raise(Reason::asked);
        await();
    }

    template <class Work>
    void start(Work work) {
        threads_.emplace_back([this, work = std::move(work)] { run(work); });
        std::scoped_lock hold(lock_);
        ++started_;
    }

    // True once all have ended; waits at most so many seconds.
    bool wait(double seconds) {
        std::unique_lock hold(lock_);
        return changed_.wait_for(hold, std::chrono::duration<double>(seconds),
                                 [this] { return ended_ == started_; });
    }

    void join() {
        await();
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

  private:
    template <class Work>
    void run(const Work& work) {
        std::exception_ptr error;
        try {
            work();
        } catch (...) {
            error = std::current_exception();
            stop_.raise(Reason::asked);
        }
        std::scoped_lock hold(lock_);
        if (!error_) error_ = error;
        ++ended_;
        changed_.notify_all();
    }

    void await() {
        for (auto& thread : threads_) thread.join();
        threads_.clear();
    }

    Stop& stop_;
    std::mutex lock_;
    std::condition_variable changed_;
    int started_ = 0, ended_ = 0;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

// Whatever happens on the way, `last` is done at the end of the block.
template <class Last>
class AtEnd {
  public:
    explicit AtEnd(Last last) : last_(std::move(last)) {}
    AtEnd(const AtEnd&) = delete;
    ~AtEnd() { last_(); }

  private:
    Last last_;
};

// work(0) here, work(1) .. work(threads - 1) beside it; returns when all have ended.
template <class Work>
void run_on(int threads, Stop& stop, const Work& work) {
    Threads others(stop);
    for (int k = 1; k < threads; ++k) others.start([&work, k] { work(k); });
    work(0);
    others.join();
}

}  // namespace spotree
