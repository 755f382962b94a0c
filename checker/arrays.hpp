// The model as it was handed over: checked, and undiscounted without own loops (lemma 10 of docs/proof.md).
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace checker {

struct Rejected : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class... Parts>
[[noreturn]] void reject(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Rejected(text.str());
}

// Whether somebody wants the check to end.
struct Patience {
    const std::atomic<bool>& stop;
    void check() const {
        if (stop.load(std::memory_order_relaxed)) reject("the check was stopped");
    }
};

inline void require(bool holds, const char* what) {
    if (!holds) throw Rejected(std::string("the model is malformed: ") + what);
}

constexpr double kUnit = 0x1p-53;     // relative error of one float64 operation
constexpr double kRowsAbove = 1e-12;  // what dividing by a sum may leave above 1
constexpr double kMost = 1e100;       // no number in a proof is larger: products stay finite
constexpr double kLeast = 1e-200;     // no tolerance is smaller: sums do not vanish

// What Python hands over, as it stands in the MDP.
struct Arrays {
    int states = 0, actions = 0, features = 0;
    double discount = 0;
    std::vector<int64_t> choice_start, row_start;
    std::vector<int32_t> choice_of, target;
    std::vector<double> probability, reward, initial, feature;
    bool must_end = false;   // undiscounted: who may go on for ever is worth -inf
    std::vector<char> ends;  // [row] undiscounted, once own loops are summed up: the episode may end there
};

// The sum of some numbers less 1 without rounding errors but the last: partial sums that do not overlap.
inline double sum_above_one(const double* begin, const double* end) {
    std::vector<double> parts;
    auto add = [&](double x) {
        size_t kept = 0;
        for (double y : parts) {
            if (std::abs(x) < std::abs(y)) std::swap(x, y);
            const double high = x + y, low = y - (high - x);
            if (low != 0) parts[kept++] = low;
            x = high;
        }
        parts.resize(kept);
        parts.push_back(x);
    };
    add(-1.0);
    for (const double* p = begin; p != end; ++p) add(*p);
    double sum = 0;
    for (size_t k = parts.size(); k-- > 0;) sum += parts[k];
    return sum;
}

// Throws Rejected unless they are a model: sizes, places and probabilities.
inline void check_arrays(const Arrays& a) {
    require(a.states > 0 && a.actions > 0 && a.features >= 0, "no states or no actions");
    require(a.discount >= 0 && a.discount <= 1, "a proof is about a discount of at most 1");
    require(a.choice_start.size() == size_t(a.states) + 1 && a.choice_start[0] == 0, "choice_start");
    require(a.choice_of.size() == size_t(a.states) * a.actions, "choice_of");
    require(a.initial.size() == size_t(a.states), "initial");
    require(a.feature.size() == size_t(a.states) * a.features, "features");
    const auto rows = int64_t(a.reward.size());
    require(a.choice_start.back() == rows && rows < (int64_t(1) << 31), "choice_start");
    require(a.row_start.size() == size_t(rows) + 1 && a.row_start[0] == 0, "row_start");
    require(a.row_start.back() == int64_t(a.target.size()) && a.target.size() == a.probability.size(),
            "rows");
    require(std::is_sorted(a.choice_start.begin(), a.choice_start.end()), "choice_start falls");
    require(std::is_sorted(a.row_start.begin(), a.row_start.end()), "row_start falls");
    for (int i = 0; i < a.states; ++i) {
        require(a.initial[i] >= 0 && a.initial[i] <= 1 + kRowsAbove, "a start probability is none");
        for (int b = 0; b < a.actions; ++b) {
            const int32_t row = a.choice_of[size_t(i) * a.actions + b];
            require(row == -1 || (row >= a.choice_start[i] && row < a.choice_start[i + 1]),
                    "a choice is none of its state");
        }
    }
    require(sum_above_one(a.initial.data(), a.initial.data() + a.states) <= kRowsAbove,
            "the start sums to more than 1");
    for (int64_t row = 0; row < rows; ++row) {
        require(std::abs(a.reward[row]) <= kMost, "a reward is not finite or beyond 1e100");
        for (int64_t k = a.row_start[row]; k < a.row_start[row + 1]; ++k) {
            require(a.target[k] >= 0 && a.target[k] < a.states, "a next state does not exist");
            require(k == a.row_start[row] || a.target[k - 1] < a.target[k], "next states do not rise");
            require(a.probability[k] >= 0 && a.probability[k] <= 1 + kRowsAbove, "a probability is none");
        }
    }
}

constexpr double kEnds = 1e-12;  // a row that lacks less than this to 1 does not end the episode

// Lemma 10: each row on the condition that it leaves its state. One that never does ends at 0, or is
// forbidden. Rows that do not end are divided by their sum.
inline Arrays summed_up(const Arrays& a) {
    Arrays to = a;
    to.target.clear();
    to.probability.clear();
    to.ends.assign(a.reward.size(), 0);
    for (int i = 0; i < a.states; ++i) {
        for (int64_t row = a.choice_start[i]; row < a.choice_start[i + 1]; ++row) {
            const int64_t begin = a.row_start[row], end = a.row_start[row + 1];
            double all = 0, away = 0;
            bool loops = false;
            for (int64_t k = begin; k < end; ++k) {
                all += a.probability[k];
                const bool onward = a.target[k] != i && a.probability[k] > 0;
                if (onward) away += a.probability[k];
                loops |= !onward;
            }
            to.ends[row] = all < 1 - kEnds;
            if (to.ends[row])
                away = loops ? away - sum_above_one(&a.probability[0] + begin, &a.probability[0] + end) : 1;
            if (away > 0) {
                to.reward[row] = a.reward[row] / away;
            } else if (a.must_end || a.reward[row] != 0) {
                for (int b = 0; b < a.actions; ++b) {
                    int32_t& choice = to.choice_of[size_t(i) * a.actions + b];
                    if (choice == row) choice = -1;
                }
            } else {
                to.ends[row] = 1;
            }
            for (int64_t k = begin; k < end; ++k) {
                if (a.target[k] == i || !(a.probability[k] > 0)) continue;
                to.target.push_back(a.target[k]);
                to.probability.push_back(a.probability[k] / away);
            }
            to.row_start[row + 1] = int64_t(to.target.size());
        }
    }
    return to;
}

}  // namespace checker
