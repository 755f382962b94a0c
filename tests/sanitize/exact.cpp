// Runs the exact engine on random steps under a sanitizer; every kernel and number of threads must agree.
#include "exact/solve.hpp"
#include "random_models.hpp"

namespace {

using namespace spotree::exact;
using hostile::Chance;
using hostile::Report;
using spotree::Ranks;

struct Problem {
    std::vector<double> features, gain;
    int64_t rows = 0, num_features = 0;
    int32_t actions = 1;
};

Problem random_problem(Chance& chance) {
    Problem p;
    p.rows = chance.below(60);
    p.num_features = chance.below(5);
    p.actions = 1 + chance.below(chance.one_in(10) ? 70 : 18);
    const bool alike = chance.one_in(12), equal_gains = chance.one_in(12);
    for (int64_t k = 0; k < p.rows * p.num_features; ++k)
        p.features.push_back(alike ? 1.0 : chance.below(2 + chance.below(8)));
    for (int64_t k = 0; k < p.rows * p.actions; ++k)
        p.gain.push_back(equal_gains ? 1.0 : chance.one_in(2) ? chance.below(5) : chance.below(1000) * 1e-3);
    p.features.push_back(0.0);  // never empty: data() of an empty vector may be null
    p.gain.push_back(0.0);
    return p;
}

// What a tree misses, row by row.
double missed(const Problem& p, const TreeArrays& tree) {
    const spotree::TreeView view{tree.feature.data(), tree.threshold.data(), tree.left.data(),
                                 tree.right.data()};
    double sum = 0;
    for (int64_t i = 0; i < p.rows; ++i) {
        const double* gain = p.gain.data() + i * p.actions;
        const int32_t leaf = spotree::route_row(view, p.features.data() + i * p.num_features);
        sum += *std::max_element(gain, gain + p.actions) - gain[tree.action[leaf]];
    }
    return sum;
}

Solution solved(const Ranks& prep, const Problem& p, const Options& options, Workspace& work, Report& report,
                double seconds = -1.0, const FrozenView* frozen = nullptr) {
    spotree::Stop stop(seconds, [] { return true; });  // asked after 50 ms only
    spotree::Stop whole(seconds);
    const Solution s =
        solve(prep, p.gain.data(), p.actions, options, work, seconds < 0 ? whole : stop, nullptr, frozen);
    if (s.lower == kInfinity) return s;  // the frozen splits need more leaves
    const double found = p.rows > 0 ? missed(p, s.tree) : 0;
    if (s.begun) report.expect(s.lower <= s.loss, "no tree loses less than the bound", s.lower, s.loss);
    const double best_of_groups = s.best_gain;  // rows that look alike share one action
    double best_of_rows = 0;
    for (int64_t i = 0; i < p.rows; ++i)
        best_of_rows +=
            *std::max_element(p.gain.begin() + i * p.actions, p.gain.begin() + (i + 1) * p.actions);
    const double said = s.loss + best_of_rows - best_of_groups;
    if (s.begun) report.expect(std::abs(found - said) <= 1e-6, "a tree costs what is said", found, said);
    return s;
}

// Far more depth than rows: the leaves are limited, the depth hardly is.
void check_deep(Chance& chance, Report& report) {
    Problem p;
    p.rows = 44;
    p.num_features = 1;
    p.actions = 2;
    for (int i = 0; i < 44; ++i) {
        p.features.push_back(i);
        p.gain.insert(p.gain.end(), {i < 20 ? 1.0 : 0.0, i < 20 ? 0.0 : 1.0});
    }
    const Ranks prep(p.features.data(), p.rows, p.num_features);
    Workspace work;
    Options options;
    options.depth = chance.of({30, 31, 32, 39, 64});
    options.max_leaves = 40;
    report.expect(solved(prep, p, options, work, report).loss == 0, "one split is enough", options.depth);
}

void trial(Chance& chance, Report& report) {
    const Problem p = random_problem(chance);
    const Ranks prep(p.features.data(), p.rows, p.num_features);
    Workspace work;
    Options options;
    options.depth = chance.below(5);
    options.share_small = true;
    const double plain = solved(prep, p, options, work, report).loss;
    for (int kernel = 0; kernel <= 4; ++kernel) {
        options.kernel = static_cast<Kernel>(kernel);
        options.threads = chance.of({1, 2, 4});
        options.cache = chance.one_in(2);
        options.memory = chance.one_in(4) ? 100'000 : size_t{2} << 30;
        const double loss = solved(prep, p, options, work, report).loss;
        report.expect(std::abs(loss - plain) <= 1e-9, "every kernel finds one optimum", loss, plain);
    }
    solved(prep, p, options, work, report, chance.below(300) * 1e-6);  // stopped on the way
    options.depth = std::min(options.depth, 3);
    options.max_leaves = 1 + chance.below(6);
    solved(prep, p, options, work, report);
    solved(prep, p, options, work, report, chance.below(300) * 1e-6);
    const int inner = (1 << options.depth) - 1;
    std::vector<int32_t> feature(inner + 1, kFree), action(inner + 1, kFree);
    const std::vector<double> threshold(inner + 1, 1.5);
    for (int t = 0; t < inner; ++t) {
        if (chance.one_in(3) && p.num_features) feature[t] = chance.below(static_cast<int>(p.num_features));
        if (chance.one_in(3)) action[t] = chance.below(p.actions);
    }
    const FrozenView frozen{feature.data(), threshold.data(), action.data()};
    options.max_leaves = chance.one_in(3) ? options.max_leaves : 0;
    solved(prep, p, options, work, report, chance.one_in(2) ? -1.0 : chance.below(300) * 1e-6, &frozen);
    if (chance.one_in(10)) check_deep(chance, report);
}

}  // namespace

int main(int argc, char** argv) { return hostile::run("exact", argc, argv, 150, trial); }
