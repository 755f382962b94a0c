// Stop conditions: deadline, memory limit, interrupt.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

namespace spotree {

// `asked` comes from another thread and outweighs the rest; else the first stands.
enum class Reason : int { none = 0, time = 1, memory = 2, interrupted = 3, asked = 4 };

// Shared by all threads of a search. The thread that made it also asks `wish` now and then.
class Stop {
  public:
    using Clock = std::chrono::steady_clock;

    explicit Stop(double seconds = -1.0, std::function<bool()> wish = {})
        : owner_(std::this_thread::get_id()), wish_(std::move(wish)) {
        asked_ = Clock::now();
        begin(seconds);
    }

    // Ends like `other`, but so many seconds earlier.
    Stop(const Stop& other, double earlier)
        : Stop(other.limited_ ? std::max(0.0, other.remaining() - earlier) : -1.0, other.wish_) {}

    // The clock starts now. No other thread may look at it meanwhile, here or in `end_after`.
    void begin(double seconds) {
        start_ = Clock::now();
        end_after(seconds);
    }

    // A new deadline, counted from the start: time that was up may go on, any other reason stays.
    void end_after(double seconds) {
        limited_ = seconds >= 0.0 && seconds < 1e9;
        if (limited_)
            deadline_ =
                start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        int time = static_cast<int>(Reason::time);
        reason_.compare_exchange_strong(time, 0);
    }

    // True once the search must end; costs a clock reading, so ask every few microseconds at most.
    bool check() {
        if (raised()) return true;
        if (!limited_ && !wish_) return false;
        const auto now = Clock::now();
        if (limited_ && now >= deadline_) raise(Reason::time);
        if (wish_ && std::this_thread::get_id() == owner_ && now - asked_ > std::chrono::milliseconds(50)) {
            asked_ = now;
            if (wish_()) raise(Reason::interrupted);
        }
        return raised();
    }

    // For loops over many rows: `check` at every 65536th.
    bool check_at(int64_t row) { return (row & 0xffff) == 0xffff && check(); }

    bool raised() const { return reason_.load(std::memory_order_relaxed) != 0; }
    void raise(Reason reason) {
        int none = 0;
        if (reason == Reason::asked) reason_.store(static_cast<int>(reason));
        reason_.compare_exchange_strong(none, static_cast<int>(reason));
    }
    Reason reason() const { return static_cast<Reason>(reason_.load()); }
    bool limited() const { return limited_; }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    double remaining() const { return std::chrono::duration<double>(deadline_ - Clock::now()).count(); }

  private:
    Clock::time_point start_, deadline_, asked_;
    std::thread::id owner_;
    std::function<bool()> wish_;
    std::atomic<int> reason_{0};
    bool limited_ = false;
};

}  // namespace spotree
