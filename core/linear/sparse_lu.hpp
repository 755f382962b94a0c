// Sparse LU factors of one component, by eliminating its cheapest state again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "linear/dense_lu.hpp"
#include "linear/sparse_rows.hpp"

namespace spotree {

struct Entry {
    int32_t state;
    double weight;
};

// The matrix diagonal - B, B >= 0 without a diagonal. Eliminating state k joins each predecessor to each
// successor of k; the state with the smallest product of both numbers goes first (Markowitz). Once the rest
// is nearly full it is factored as a dense matrix.
class SparseLu {
  public:
    // Whether a matrix of so many states and entries is full enough for a dense factor, and not too large.
    static bool dense_is_better(int64_t entries, int64_t states) {
        return entries >= kFull * states * states && states <= kLargestDense;
    }

    // Returns false, without usable factors, if they would get too large or it must stop.
    bool factor(const SparseRows& matrix, Stop* stop = nullptr) {
        const int32_t size = matrix.size();
        diagonal_ = matrix.diagonal;
        rows_.resize(size);
        for (int32_t i = 0; i < size; ++i) {
            for (int64_t e = matrix.start[i]; e < matrix.start[i + 1]; ++e) {
                rows_[i].push_back({matrix.column[e], matrix.weight[e]});
            }
        }
        before_.assign(size, {});
        at_.assign(size, -1);
        alive_.assign(size, 1);
        work_ = remaining_entries_ = 0;
        for (int32_t i = 0; i < size; ++i) {
            remaining_entries_ += static_cast<int64_t>(rows_[i].size());
            for (const Entry& e : rows_[i]) before_[e.state].push_back(i);
        }
        for (int32_t k = 0; k < size; ++k) queue_.push({cost(k), k});
        int64_t remaining = size;
        while (remaining > 0 && remaining_entries_ < kFull * remaining * remaining) {
            const auto [known, k] = queue_.top();
            queue_.pop();
            if (!alive_[k] || known != cost(k)) continue;
            eliminate(k);
            --remaining;
            if (work_ > kMostWork || (stop && (remaining & 0xff) == 0 && stop->check())) return false;
        }
        return remaining <= kLargestDense && finish_dense(stop);
    }

    void solve(double* x) const {
        for (size_t k = 0; k < order_.size(); ++k) {
            const double known = x[order_[k]];
            for (int64_t e = lower_start_[k]; e < lower_start_[k + 1]; ++e) {
                x[lower_[e].state] += lower_[e].weight * known;
            }
        }
        solve_rest(x, false);
        for (size_t k = order_.size(); k-- > 0;) {
            double sum = x[order_[k]];
            for (int64_t e = upper_start_[k]; e < upper_start_[k + 1]; ++e) {
                sum += upper_[e].weight * x[upper_[e].state];
            }
            x[order_[k]] = sum / diagonal_[order_[k]];
        }
    }

    void solve_transposed(double* x) const {
        for (size_t k = 0; k < order_.size(); ++k) {
            const double known = x[order_[k]] /= diagonal_[order_[k]];
            for (int64_t e = upper_start_[k]; e < upper_start_[k + 1]; ++e) {
                x[upper_[e].state] += upper_[e].weight * known;
            }
        }
        solve_rest(x, true);
        for (size_t k = order_.size(); k-- > 0;) {
            double sum = x[order_[k]];
            for (int64_t e = lower_start_[k]; e < lower_start_[k + 1]; ++e) {
                sum += lower_[e].weight * x[lower_[e].state];
            }
            x[order_[k]] = sum;
        }
    }

  private:
    static constexpr double kFull = 0.2;               // entries per place from which dense is faster
    static constexpr int64_t kMostWork = 200'000'000;  // touched entries, about a second
    static constexpr int64_t kLargestDense = 2500;

    int64_t cost(int32_t k) const {
        return static_cast<int64_t>(rows_[k].size()) * static_cast<int64_t>(before_[k].size());
    }

    void eliminate(int32_t k) {
        alive_[k] = 0;
        const std::vector<Entry> out = std::move(rows_[k]);
        const std::vector<int32_t> in = std::move(before_[k]);
        rows_[k].clear();
        before_[k].clear();
        remaining_entries_ -= static_cast<int64_t>(out.size() + in.size());
        for (const Entry& e : out) std::erase(before_[e.state], k);
        for (const int32_t i : in) lower_.push_back({i, join(i, k, out)});
        upper_.insert(upper_.end(), out.begin(), out.end());
        order_.push_back(k);
        lower_start_.push_back(static_cast<int64_t>(lower_.size()));
        upper_start_.push_back(static_cast<int64_t>(upper_.size()));
        for (const int32_t i : in) queue_.push({cost(i), i});
        for (const Entry& e : out) queue_.push({cost(e.state), e.state});
    }

    // Replaces the way i -> k by ways to where k leads; returns the share of row k that row i took.
    double join(int32_t i, int32_t k, const std::vector<Entry>& out) {
        std::vector<Entry>& row = rows_[i];
        size_t place = 0;
        for (size_t e = 0; e < row.size(); ++e) {
            at_[row[e].state] = static_cast<int32_t>(e);
            if (row[e].state == k) place = e;
        }
        const double share = row[place].weight / diagonal_[k];
        const size_t old_size = row.size();
        for (const Entry& e : out) {
            if (e.state == i) {
                diagonal_[i] -= share * e.weight;
            } else if (at_[e.state] >= 0) {
                row[at_[e.state]].weight += share * e.weight;
            } else {
                row.push_back({e.state, share * e.weight});
                before_[e.state].push_back(i);
            }
        }
        for (size_t e = 0; e < old_size; ++e) at_[row[e].state] = -1;
        work_ += static_cast<int64_t>(old_size + out.size());
        remaining_entries_ += static_cast<int64_t>(row.size() - old_size);
        row[place] = row.back();
        row.pop_back();
        return share;
    }

    bool finish_dense(Stop* stop) {
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (!alive_[i]) continue;
            at_[i] = static_cast<int32_t>(rest_.size());
            rest_.push_back(static_cast<int32_t>(i));
        }
        const size_t size = rest_.size();
        double* matrix = dense_.begin(static_cast<int32_t>(size));
        for (size_t i = 0; i < size; ++i) {
            matrix[i * size + i] = diagonal_[rest_[i]];
            for (const Entry& e : rows_[rest_[i]]) matrix[i * size + at_[e.state]] = -e.weight;
        }
        dense_.factor(stop);
        rows_ = {};
        before_ = {};
        queue_ = {};
        return dense_.complete();
    }

    void solve_rest(double* x, bool transposed) const {
        if (rest_.empty()) return;
        std::vector<double> y(rest_.size());
        for (size_t i = 0; i < y.size(); ++i) y[i] = x[rest_[i]];
        transposed ? dense_.solve_transposed(y.data()) : dense_.solve(y.data());
        for (size_t i = 0; i < y.size(); ++i) x[rest_[i]] = y[i];
    }

    using Item = std::pair<int64_t, int32_t>;

    // While factoring.
    std::vector<std::vector<Entry>> rows_;
    std::vector<std::vector<int32_t>> before_;
    std::vector<int32_t> at_;
    std::vector<char> alive_;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue_;
    int64_t work_ = 0, remaining_entries_ = 0;
    // The factors: per eliminated state its pivot, the shares its predecessors took, and its last row.
    std::vector<double> diagonal_;
    std::vector<int32_t> order_, rest_;
    std::vector<Entry> lower_, upper_;
    std::vector<int64_t> lower_start_{0}, upper_start_{0};
    DenseLu dense_;
};

}  // namespace spotree
