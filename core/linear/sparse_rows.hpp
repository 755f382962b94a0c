// A square matrix with a positive diagonal and nothing positive beside it, row by row.
#pragma once

#include <cstdint>
#include <vector>

namespace spotree {

// The matrix diagonal - B; B >= 0 has no diagonal, and its rows are CSR arrays without repeated columns.
struct SparseRows {
    std::vector<double> diagonal;
    std::vector<int64_t> start{0};
    std::vector<int32_t> column;
    std::vector<double> weight;

    int32_t size() const { return static_cast<int32_t>(diagonal.size()); }

    double beside(int32_t i, const double* x) const {
        double sum = 0.0;
        for (int64_t e = start[i]; e < start[i + 1]; ++e) sum += weight[e] * x[column[e]];
        return sum;
    }

    SparseRows transposed() const {
        SparseRows t;
        t.diagonal = diagonal;
        t.start.assign(diagonal.size() + 1, 0);
        for (const int32_t j : column) ++t.start[j + 1];
        for (size_t j = 0; j < diagonal.size(); ++j) t.start[j + 1] += t.start[j];
        std::vector<int64_t> next(t.start.begin(), t.start.end() - 1);
        t.column.resize(column.size());
        t.weight.resize(column.size());
        for (int32_t i = 0; i < size(); ++i) {
            for (int64_t e = start[i]; e < start[i + 1]; ++e) {
                t.column[next[column[e]]] = i;
                t.weight[next[column[e]]++] = weight[e];
            }
        }
        return t;
    }
};

}  // namespace spotree
