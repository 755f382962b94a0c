// Lists of the root's rows, taken apart by thresholds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exact/presolve.hpp"

namespace spotree::exact {

using Rows = std::vector<int32_t>;

class RowPartition {
  public:
    RowPartition(const Ranks& prep, const Reduced& reduced) : prep_(prep), reduced_(reduced) {}

    // The rows on one side of any threshold.
    Rows side(const Rows& rows, int32_t feature, double threshold, bool left) const {
        const auto& values = prep_.values()[feature];
        const int32_t* rank = prep_.rank(feature);
        Rows out;
        for (int32_t i : rows) {
            if ((values[rank[reduced_.group[i]]] < threshold) == left) out.push_back(i);
        }
        return out;
    }

    // All thresholds that separate the rows, each with its own left: above frozen nodes a mirror is another
    // split.
    std::vector<Cut> cuts(const Rows& rows) const {
        std::vector<Cut> out;
        Rows ranks;
        for (int32_t f = 0; f < prep_.num_features(); ++f) {
            ranks.clear();
            for (int32_t i : rows) ranks.push_back(prep_.rank(f)[reduced_.group[i]]);
            std::sort(ranks.begin(), ranks.end());
            ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
            for (size_t k = 1; k < ranks.size(); ++k) out.push_back({f, ranks[k - 1], ranks[k], -1});
        }
        return out;
    }

    void part(const Cut& cut, const Rows& rows, Rows& left, Rows& right) const {
        left.clear();
        right.clear();
        const int32_t* rank = prep_.rank(cut.feature);
        for (int32_t i : rows) (rank[reduced_.group[i]] < cut.cut ? left : right).push_back(i);
    }

    // All rows of a block by one of its splits.
    static void part(const Block& block, int32_t s, Rows& left, Rows& right) {
        left.clear();
        right.clear();
        const int32_t* rank = block.column(block.feature[s]);
        const int32_t cut = block.cut_at(s);
        for (int32_t i = 0; i < block.rows; ++i) (rank[i] < cut ? left : right).push_back(block.root_row[i]);
    }

  private:
    const Ranks& prep_;
    const Reduced& reduced_;
};

}  // namespace spotree::exact
