// Proof log for the certificate, one record per subproblem; the layout is in docs/proof.md.
#pragma once

#include "proof/bounds/bounding.hpp"

namespace spotree::proof {

struct ProofLog {
    bool on = false;
    std::mutex lock;
    std::vector<int32_t> words;
    std::vector<double> numbers;
    int32_t next = 0;              // number of the next region
    int32_t epoch = 0;             // a new one begins when a proof starts afresh
    std::atomic<size_t> total{0};  // numbers written in this epoch

    void restart() {
        std::scoped_lock hold(lock);
        words.clear();
        numbers.clear();
        next = 0;
        total = 0;
        ++epoch;
    }

    // Begins with what an old proof wrote; somebody may be draining meanwhile.
    void copy(const std::vector<int32_t>& old_words, const std::vector<double>& old_numbers, int32_t number) {
        std::scoped_lock hold(lock);
        next = number;
        if (!on) return;
        words = old_words;
        numbers = old_numbers;
    }

    struct Text {
        int32_t epoch = 0;
        std::vector<int32_t> words;
        std::vector<double> numbers;
    };

    // What was written since the last call.
    Text drain() {
        std::scoped_lock hold(lock);
        return {epoch, std::exchange(words, {}), std::exchange(numbers, {})};
    }

    size_t listed = 0;  // so many numbers are written, later regions briefly

    bool brief() const { return total.load(std::memory_order_relaxed) >= listed; }
};

constexpr double kNoBound = 1e300;  // in place of infinity, which no file holds

// Appends a finished region to the journal and returns its number.
inline int32_t write_region(ProofLog& journal, int32_t parent, int32_t first, int32_t second,
                            const Draft& draft, const std::vector<int32_t>& branching, double bound = 0) {
    std::scoped_lock hold(journal.lock);
    const int32_t number = journal.next++;
    if (!journal.on) return number;
    auto& to = journal.words;
    const auto length = int32_t(6 + draft.words.size() + branching.size());
    to.insert(to.end(), {length, number, parent, first, second, draft.rounds});
    to.insert(to.end(), draft.words.begin(), draft.words.end());
    to.insert(to.end(), branching.begin(), branching.end());
    journal.numbers.push_back(std::isfinite(bound) ? bound : bound > 0 ? kNoBound : 0);
    journal.numbers.insert(journal.numbers.end(), draft.numbers.begin(), draft.numbers.end());
    journal.total += draft.numbers.size() + 1;
    return number;
}

}  // namespace spotree::proof
