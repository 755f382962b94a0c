// Runs the exact engine on random problems under a sanitizer; every kernel and number of threads must agree.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "exact/solve.hpp"

using namespace spotree::exact;

namespace {

struct Problem {
    std::vector<double> features, gain;
    int64_t rows, num_features;
    int32_t actions;
};

Problem random_problem(std::mt19937& rng) {
    auto below = [&rng](int n) { return static_cast<int>(rng() % n); };
    Problem p;
    p.rows = below(60);
    p.num_features = below(5);
    p.actions = 1 + below(18);
    for (int64_t k = 0; k < p.rows * p.num_features; ++k) p.features.push_back(below(2 + below(8)));
    for (int64_t k = 0; k < p.rows * p.actions; ++k)
        p.gain.push_back(below(2) ? below(5) : below(1000) * 1e-3);
    p.features.push_back(0.0);  // never empty: data() of an empty vector may be null
    p.gain.push_back(0.0);
    return p;
}

double solved_cost(const Preparation& prep, const Problem& p, const Options& options, Workspace& work,
                   double seconds, const FrozenView* frozen) {
    Stop stop(seconds);
    const Solution s = solve(prep, p.gain.data(), p.actions, options, work, stop, nullptr, frozen);
    if (s.lower > s.cost) std::printf("lower bound %g above cost %g\n", s.lower, s.cost);
    return s.cost;
}

}  // namespace

int main() {
    std::mt19937 rng(7);
    int wrong = 0;
    for (int trial = 0; trial < 150; ++trial) {
        const Problem p = random_problem(rng);
        const Preparation prep(p.features.data(), p.rows, p.num_features);
        Workspace work;
        Options options;
        options.depth = static_cast<int>(rng() % 5);
        options.share_small = true;
        const double plain = solved_cost(prep, p, options, work, -1.0, nullptr);
        for (int kernel = 0; kernel <= 4; ++kernel) {
            options.kernel = static_cast<Kernel>(kernel);
            options.threads = 1 + static_cast<int>(rng() % 3);
            options.cache = rng() % 2;
            const double cost = solved_cost(prep, p, options, work, -1.0, nullptr);
            wrong += std::abs(cost - plain) > 1e-9;
        }
        solved_cost(prep, p, options, work, static_cast<double>(rng() % 300) * 1e-6,
                    nullptr);  // stopped on the way
        options.max_leaves = 1 + static_cast<int>(rng() % 6);
        options.depth = std::min(options.depth, 3);
        solved_cost(prep, p, options, work, -1.0, nullptr);
        const int inner = (1 << options.depth) - 1;
        std::vector<int32_t> feature(inner + 1, kFree), action(inner + 1, kFree);
        const std::vector<double> threshold(inner + 1, 1.5);
        for (int t = 0; t < inner; ++t) {
            if (rng() % 3 == 0 && p.num_features) feature[t] = static_cast<int32_t>(rng() % p.num_features);
            if (rng() % 3 == 0) action[t] = static_cast<int32_t>(rng() % p.actions);
        }
        const FrozenView frozen{feature.data(), threshold.data(), action.data()};
        options.max_leaves = 0;
        solved_cost(prep, p, options, work, -1.0, &frozen);
    }
    std::printf("%d of 750 runs disagree\n", wrong);
    return wrong != 0;
}
