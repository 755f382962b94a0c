// Runs the branch and bound on random steps under a sanitizer; switches and threads must not change the
// optimum.
#include "random_models.hpp"
#include "rsbb/search.hpp"

namespace {

using namespace spotree::rsbb;
using hostile::Chance;
using hostile::Report;

// A step and the arrays that it looks at.
struct Owned {
    std::vector<int32_t> rank, values, frozen_feature, frozen_cut, frozen_action;
    std::vector<double> loss, scaled, position;
    double best_gain = 0, spread = 0;
    Step step;
};

void random_step(Owned& p, Chance& chance) {
    Step& step = p.step;
    step.rows = chance.one_in(20) ? 0 : chance.one_in(10) ? 1 : 1 + chance.below(chance.one_in(8) ? 140 : 30);
    step.features = 1 + (chance.one_in(15) ? 66 : chance.below(3));  // Python gives one where there is none
    step.actions = chance.one_in(10) ? 1 : 1 + chance.below(chance.one_in(10) ? 70 : 4);
    step.depth = chance.below(step.features > 3 || step.rows > 12 ? 2 : 3);
    const bool alike = chance.one_in(12), equal_gains = chance.one_in(12);
    for (int f = 0; f < step.features; ++f) {
        const int values = alike ? 1 : 1 + chance.below(5);
        std::vector<int> given(step.rows);
        for (int& value : given) value = chance.below(values);
        const std::set<int> distinct(given.begin(), given.end());
        for (const int value : given)
            p.rank.push_back(static_cast<int32_t>(std::distance(distinct.begin(), distinct.find(value))));
        const int count = std::max<int>(1, static_cast<int>(distinct.size()));
        p.values.push_back(count);
        const double gap = count > 1 ? 1.0 / (count - 1) : 1.0;
        for (int k = 0; k < count; ++k) p.scaled.push_back(k * gap);
        p.position.push_back(0.0);
        for (int k = 1; k < count; ++k) p.position.push_back((k - 0.5) * gap);
        p.position.push_back(kTop);
    }
    for (int64_t i = 0; i < step.rows; ++i) {
        std::vector<double> gain(step.actions);
        for (double& g : gain) g = equal_gains ? 1.0 : chance.one_in(2) ? chance.below(4) : chance.unit();
        const double best = *std::max_element(gain.begin(), gain.end());
        p.best_gain += best;
        p.spread += best - *std::min_element(gain.begin(), gain.end());
        for (const double g : gain) p.loss.push_back(best - g);
    }
    const int inner = (1 << step.depth) - 1;
    p.frozen_feature.assign(inner, kFree);
    p.frozen_cut.assign(inner, 0);
    p.frozen_action.assign(inner + 1, kFree);
    if (chance.one_in(3)) {
        for (int t = 0; t < inner; ++t) {
            if (!chance.one_in(3)) continue;
            p.frozen_feature[t] = chance.below(step.features + 1) - 1;
            if (p.frozen_feature[t] >= 0) p.frozen_cut[t] = chance.below(p.values[p.frozen_feature[t]] + 1);
        }
        for (int32_t& action : p.frozen_action)
            action = chance.one_in(3) ? chance.below(step.actions) : kFree;
    }
    step.max_leaves = chance.one_in(3) ? 1 + chance.below(inner + 1) : inner + 1;
    step.rank = p.rank.data();
    step.loss = p.loss.data();
    step.values = p.values.data();
    step.scaled = p.scaled.data();
    step.position = p.position.data();
    step.frozen_feature = p.frozen_feature.data();
    step.frozen_cut = p.frozen_cut.data();
    step.frozen_action = p.frozen_action.data();
    step.prepare();
}

// What a found tree loses, row by row.
double loss_of(const Step& step, const Candidate& tree) {
    double sum = 0;
    for (int64_t i = 0; i < step.rows; ++i) {
        int32_t node = 0;
        while (node < step.inner && tree.feature[node] >= 0)
            node = 2 * node + (step.rank[tree.feature[node] * step.rows + i] < tree.cut[node] ? 1 : 2);
        sum += step.loss[i * step.actions + tree.action[step.rightmost_leaf(node)]];
    }
    return sum;
}

// The least loss of a single split, tried one by one.
double least_of_depth_1(const Step& step) {
    double best = std::numeric_limits<double>::infinity();
    for (int32_t f = 0; f < step.features; ++f) {
        for (int32_t cut = 0; cut <= step.values[f]; ++cut) {
            double least[2] = {0, 0};
            for (const bool left : {true, false}) {
                double most = std::numeric_limits<double>::infinity();
                for (int32_t a = 0; a < step.actions; ++a) {
                    double sum = 0;
                    for (int64_t i = 0; i < step.rows; ++i)
                        sum += (step.rank[f * step.rows + i] < cut) == left ? step.loss[i * step.actions + a]
                                                                            : 0;
                    most = std::min(most, sum);
                }
                least[left] = most;
            }
            best = std::min(best, least[0] + least[1]);
        }
    }
    return best;
}

// Two searches that hand each other regions find what one finds.
void in_parts(Owned& p, const Settings& settings, double least, double close, Chance& chance,
              Report& report) {
    Search one(p.step, settings), other(p.step, settings);
    one.begin();
    for (int turn = 0; turn < 1000 && one.open() + other.open() > 0; ++turn) {
        for (auto [from, to] : {std::pair{&one, &other}, std::pair{&other, &one}}) {
            spotree::Stop stop(chance.below(300) * 1e-6);
            from->go_on(stop);
            to->meet(from->outcome().tree.loss);
            const std::vector<int64_t> words = from->give(1 + chance.below(20), chance.one_in(2));
            to->take(words.data(), static_cast<int64_t>(words.size() / to->width()));
        }
    }
    const double found = std::min(one.conclude().least_loss, other.conclude().least_loss);
    if (one.open() + other.open() == 0)
        report.expect(std::abs(found - least) <= close, "parts find what the whole finds", found, least);
    else
        report.expect(found <= least + close, "the bound of parts holds", found, least);
    std::vector<int64_t> forged = one.regions();
    for (int64_t& word : forged) {
        if (chance.one_in(6)) word ^= int64_t{1} << chance.below(63);
    }
    try {
        other.take(forged.data(), static_cast<int64_t>(forged.size() / other.width()));
    } catch (const std::invalid_argument&) {
    }
    spotree::Stop soon(0.001);
    other.go_on(soon);
}

// A queue of piles gives its entries in the order of one heap, whatever is put in or dropped in between.
void in_turn(Chance& chance, Report& report) {
    struct Entry {
        double loss;
        uint64_t order;
    };
    const auto next = [](const Entry& a, const Entry& b) {
        return a.loss != b.loss ? a.loss < b.loss : a.order > b.order;
    };
    LazyHeap<Entry, 8> queue;
    std::set<Entry, decltype(next)> plain(next);
    const int losses = chance.of({1, 3, 1000});
    double floor = 0;  // as in a best-first search, mostly
    for (uint64_t turn = 0; turn < 600; ++turn) {
        if (!chance.one_in(turn < 400 ? 3 : 2)) {
            const Entry entry{(chance.one_in(5) ? 0 : floor) + chance.below(losses), turn};
            queue.push(entry);
            plain.insert(entry);
        } else if (chance.one_in(60)) {
            const double most = floor + chance.below(losses);
            queue.erase_if([&](const Entry& entry) { return entry.loss >= most; });
            std::erase_if(plain, [&](const Entry& entry) { return entry.loss >= most; });
        } else if (!plain.empty()) {
            const Entry entry = queue.pop();
            report.expect(entry.order == plain.begin()->order, "the queue keeps its order", entry.loss,
                          plain.begin()->loss);
            floor = entry.loss;
            plain.erase(plain.begin());
        }
        size_t seen = 0;
        queue.each([&](const Entry&) { ++seen; });
        report.expect(queue.size() == std::ssize(plain) && seen == plain.size(), "nobody is lost",
                      static_cast<double>(queue.size()), static_cast<double>(plain.size()));
    }
}

// What is read from a code is the region that was written, as far as anybody asks.
void in_few_words(const Step& step, bool snap, Chance& chance, Report& report) {
    const Shape shape(step, snap);
    const Branching branching(step, shape, true);
    const Code code(step, shape, snap, 0);
    Switches switches;
    switches.snap = snap;
    Bound bound(step, shape, switches);
    ReachableRows before(step, shape), after(step, shape);
    Subproblem region = shape.root(0), read;
    before.compute(region, true);
    bound.apply(region, before, nullptr);
    std::vector<uint64_t> words(code.most_words()), again(code.most_words());
    for (int turn = 0; turn < 30; ++turn) {
        const size_t size = code.write(region, words.data());
        report.expect(code.read(words.data(), read) == size, "as many words are read as were written");
        read.least_loss = region.least_loss;
        code.write(read, again.data());
        report.expect(std::equal(words.begin(), words.begin() + static_cast<int64_t>(size), again.begin()),
                      "a code says the same twice");
        after.compute(read, true);
        Subproblem anew = read;
        bound.apply(anew, after, &after);
        report.expect(std::equal(before.shared(), before.shared() + step.words, after.shared()) &&
                          std::equal(before.counted(), before.counted() + step.words, after.counted()),
                      "rows go where they went");
        report.expect(anew.least_loss == region.least_loss, "a code keeps the bound", anew.least_loss,
                      region.least_loss);
        const Branch branch = branching.choose(region);
        const Branch same = branching.choose(read);
        report.expect(
            branch.variable == same.variable && branch.node == same.node && branch.which == same.which,
            "a region that was read branches alike");
        if (shape.one_shape(region) || branch.variable == Variable::kNone) return;
        Subproblem child = region;
        if (!branching.child(child, branch, chance.below(2))) return;
        after.update(before, child, branch.variable == Variable::kAction ? -1 : branch.node, true);
        bound.apply(child, after, &before);
        before.compute(child, true);
        region = child;
    }
}

void trial(Chance& chance, Report& report) {
    in_turn(chance, report);
    Owned p;
    random_step(p, chance);
    for (const bool snap : {true, false}) in_few_words(p.step, snap, chance, report);
    Settings settings;
    settings.best_gain = p.best_gain;
    settings.resolution = 1e-12 * p.spread;
    double seconds = 0.2;
    settings.bytes = 1e9;
    const double close = 1e-9 * (1 + p.spread);
    double optimum = -1;
    for (int k = 0; k < 4; ++k) {
        settings.seed = static_cast<uint64_t>(chance.below(1000));
        settings.threads = chance.of({1, 2, 4});
        if (k > 0) {
            auto& on = settings.switches;
            for (bool* part : {&on.settled, &on.group, &on.snap, &on.primal, &on.actions})
                *part = !chance.one_in(3);
        }
        if (k == 3) {
            seconds = chance.below(3000) * 1e-6;
            settings.bytes = chance.one_in(3) ? chance.below(5000) : 1e9;
            settings.start_loss =
                chance.one_in(3) && optimum >= 0 ? optimum + chance.unit() : settings.start_loss;
        }
        spotree::Stop stop(seconds, [k] { return k == 3; });
        const Outcome out = Search(p.step, settings).run(stop);
        if (!out.feasible) return;
        if (k < 3 && out.reason == spotree::Reason::none)
            in_parts(p, settings, out.least_loss, close, chance, report);
        const bool begun_with = out.tree.action.empty();  // the start was not beaten
        const double loss = begun_with ? settings.start_loss : loss_of(p.step, out.tree);
        if (!begun_with)
            report.expect(std::abs(loss - out.tree.loss) <= close, "a tree loses what is said", loss,
                          out.tree.loss);
        report.expect(out.least_loss <= loss + close, "no tree loses less than the least", out.least_loss,
                      loss);
        if (optimum >= 0)
            report.expect(out.least_loss <= optimum + close, "the bound holds", out.least_loss, optimum);
        if (out.reason != spotree::Reason::none) continue;
        report.expect(out.least_loss >= loss - close, "a proof leaves no gap", out.least_loss, loss);
        if (optimum < 0) optimum = loss;
        report.expect(std::abs(loss - optimum) <= close, "every way to search finds one optimum", loss,
                      optimum);
    }
    const auto free = [](const std::vector<int32_t>& kind) {
        return std::all_of(kind.begin(), kind.end(), [](int32_t x) { return x == kFree; });
    };
    if (p.step.depth == 1 && p.step.max_leaves == 2 && free(p.frozen_feature) && free(p.frozen_action) &&
        optimum >= 0) {
        const double least = least_of_depth_1(p.step);
        report.expect(std::abs(least - optimum) <= close, "no split is better", least, optimum);
    }
}

}  // namespace

int main(int argc, char** argv) { return hostile::run("rsbb", argc, argv, 300, trial); }
