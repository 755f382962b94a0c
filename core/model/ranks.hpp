// Ranks of a feature matrix: sorted values, the rank of each row, classes of equal rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <vector>

#include "runtime/random.hpp"
#include "runtime/stop.hpp"

namespace spotree {

class Ranks {
  public:
    // `features` is [row, feature], row by row; it is read only here.
    Ranks(const double* features, int64_t rows, int64_t num_features) {
        Stop never;
        *this = Ranks(features, rows, num_features, never);
    }

    // Once stopped it is of no use: ask `finished`.
    Ranks(const double* features, int64_t rows, int64_t num_features, Stop& stop)
        : rows_(static_cast<int32_t>(rows)), num_features_(static_cast<int32_t>(num_features)) {
        values_.resize(num_features_);
        std::vector<int32_t> rank(static_cast<size_t>(rows) * num_features_);
        std::vector<double> column(rows);
        for (int32_t f = 0; f < num_features_; ++f) {
            for (int64_t i = 0; i < rows; ++i) column[i] = features[i * num_features + f] + 0.0;  // -0 is 0
            if (!rank_column(column, values_[f], rank.data() + static_cast<size_t>(f) * rows, stop)) break;
        }
        finished_ = !stop.raised() && group(rank, stop);
        if (!finished_) reason_ = stop.reason();
    }

    bool finished() const { return finished_; }
    // Why it is not finished.
    Reason reason() const { return reason_; }

    // Differs from that of all other ranks.
    uint64_t id() const { return id_; }
    int32_t rows() const { return rows_; }
    int32_t num_features() const { return num_features_; }
    int32_t groups() const { return groups_; }
    // [row] the group of rows with equal features that the row belongs to.
    const std::vector<int32_t>& group_of() const { return group_of_; }
    // [group] its first row; groups are numbered in this order, ascending.
    const std::vector<int32_t>& first() const { return first_; }
    // [feature] the values that occur, ascending.
    const std::vector<std::vector<double>>& values() const { return values_; }
    // [feature, group] the position of the group's value among those that occur; for one feature below.
    const std::vector<int32_t>& ranks() const { return rank_; }
    const int32_t* rank(int32_t feature) const {
        return rank_.data() + static_cast<size_t>(feature) * groups_;
    }
    bool singletons() const { return groups_ == rows_; }

  private:
    static constexpr size_t kFew = 64;

    static constexpr size_t kRun = 1 << 15;

    static bool rank_column(const std::vector<double>& column, std::vector<double>& values, int32_t* rank,
                            Stop& stop) {
        values.clear();
        for (double x : column) {
            auto at = std::lower_bound(values.begin(), values.end(), x);
            if (at != values.end() && *at == x) continue;
            values.insert(at, x);
            if (values.size() > kFew) break;
        }
        if (values.size() > kFew && !distinct(column, values, stop)) return false;
        for (size_t i = 0; i < column.size(); ++i) {
            if (stop.check_at(i)) return false;
            rank[i] = static_cast<int32_t>(std::lower_bound(values.begin(), values.end(), column[i]) -
                                           values.begin());
        }
        return true;
    }

    // Sort short runs, drop what is repeated, and merge runs of like length, so that the time is asked often.
    static bool distinct(const std::vector<double>& column, std::vector<double>& values, Stop& stop) {
        std::vector<std::vector<double>> runs;
        const auto merge_last = [&runs] {
            std::vector<double> merged;
            const auto &a = runs[runs.size() - 2], &b = runs.back();
            merged.reserve(a.size() + b.size());
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
            runs.pop_back();
            runs.back().swap(merged);
        };
        for (size_t i = 0; i < column.size(); i += kRun) {
            if (stop.check()) return false;
            std::vector<double> run(column.begin() + i, column.begin() + std::min(column.size(), i + kRun));
            std::sort(run.begin(), run.end());
            run.erase(std::unique(run.begin(), run.end()), run.end());
            runs.push_back(std::move(run));
            while (runs.size() > 1 && runs[runs.size() - 2].size() <= 2 * runs.back().size()) merge_last();
        }
        while (runs.size() > 1) merge_last();
        values.swap(runs[0]);
        return true;
    }

    // Number the distinct rows in order of first appearance; equal hashes are compared rank by rank.
    bool group(const std::vector<int32_t>& rank, Stop& stop) {
        const size_t n = rows_;
        std::vector<uint64_t> hash(n, 0);
        for (int32_t f = 0; f < num_features_; ++f) {
            const int32_t* column = rank.data() + f * n;
            for (size_t i = 0; i < n; ++i) hash[i] = mixed(hash[i] ^ (static_cast<uint64_t>(column[i]) + 1));
            if (n > kRun && stop.check()) return false;
        }
        size_t capacity = 16;
        while (capacity < 2 * n) capacity *= 2;
        std::vector<int32_t> slot(capacity, -1);
        group_of_.resize(n);
        for (size_t i = 0; i < n; ++i) {
            if (stop.check_at(i)) return false;
            size_t at = hash[i] & (capacity - 1);
            for (;; at = (at + 1) & (capacity - 1)) {
                if (slot[at] < 0) {
                    slot[at] = static_cast<int32_t>(first_.size());
                    first_.push_back(static_cast<int32_t>(i));
                    break;
                }
                const size_t other = first_[slot[at]];
                if (hash[other] == hash[i] && alike(rank, other, i)) break;
            }
            group_of_[i] = slot[at];
        }
        groups_ = static_cast<int32_t>(first_.size());
        rank_.resize(static_cast<size_t>(groups_) * num_features_);
        for (int32_t f = 0; f < num_features_; ++f) {
            for (int32_t g = 0; g < groups_; ++g)
                rank_[static_cast<size_t>(f) * groups_ + g] = rank[f * n + first_[g]];
        }
        return true;
    }

    bool alike(const std::vector<int32_t>& rank, size_t a, size_t b) const {
        for (int32_t f = 0; f < num_features_; ++f) {
            const int32_t* column = rank.data() + static_cast<size_t>(f) * rows_;
            if (column[a] != column[b]) return false;
        }
        return true;
    }

    static uint64_t next_id() {
        static std::atomic<uint64_t> last{0};
        return ++last;
    }

    uint64_t id_ = next_id();
    int32_t rows_ = 0, num_features_ = 0, groups_ = 0;
    bool finished_ = false;
    Reason reason_ = Reason::none;
    std::vector<std::vector<double>> values_;
    std::vector<int32_t> group_of_, first_, rank_;
};

}  // namespace spotree
