// The paper's Algorithm 2: a best-first frontier of regions, worked on by threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "rsbb/bound.hpp"
#include "rsbb/branch.hpp"
#include "rsbb/node_codec.hpp"
#include "rsbb/open_list.hpp"
#include "rsbb/primal_heuristic.hpp"
#include "runtime/threads.hpp"

namespace spotree::rsbb {

struct Settings {
    Switches switches;
    uint64_t seed = 0;
    int32_t threads = 1;
    double bytes = std::numeric_limits<double>::infinity();  // that the frontier may take
    double best_gain = 0;      // sum of the rows' best gains: gain = best_gain - loss
    double gap_tolerance = 0;  // relative to the gain
    double resolution = 0;     // losses closer than this count as equal
    double start_loss = std::numeric_limits<double>::infinity();
};

struct Outcome {
    Candidate tree;  // loss is infinite where the start was not beaten
    double least_loss = 0;
    bool feasible = true;          // else the frozen splits alone make too many leaves
    Reason reason = Reason::none;  // none: proved
    int64_t expanded = 0, bounded = 0, discarded = 0, candidates = 0, largest_frontier = 0;
};

class Search {
  public:
    Search(const Step& step, const Settings& settings)
        : step_(step),
          settings_(settings),
          shape_(step, settings.switches.snap),
          branching_(step, shape_, settings.switches.actions),
          packing_(step, shape_, settings.seed),
          frontier_(step, shape_, settings.switches.snap, settings.seed),
          incumbent_(settings.start_loss) {}

    // From the whole space to an answer. The thread that made `stop` calls this: it alone hears the wish.
    Outcome run(Stop& stop) {
        if (begin()) go_on(stop);
        return conclude();
    }

    // The whole space becomes the first region; false if it holds no tree.
    bool begin() {
        Subproblem root = shape_.root(settings_.seed);
        outcome_.feasible = shape_.fits_leaves(root);
        if (outcome_.feasible) settle(std::move(root));
        return outcome_.feasible;
    }

    // Search until nothing is open or the stop says so; may be called again.
    void go_on(Stop& stop) {
        Threads workers(stop);
        for (int32_t w = 0; w < settings_.threads; ++w) workers.start([this, &stop] { work(stop); });
        while (!workers.wait(kLook)) stop.check();
        workers.join();
        outcome_.reason = stop.reason();
    }

    // Somebody else has a tree that loses so much.
    void meet(double loss) { incumbent_ = std::min(incumbent_, loss); }

    // Regions of another search of the same step; nothing that is said of their losses is believed.
    void take(const int64_t* words, int64_t count) {
        std::vector<Subproblem> regions(count);
        for (int64_t r = 0; r < count; ++r) {
            packing_.unpack(words + r * static_cast<int64_t>(packing_.width()), r, regions[r]);
        }
        for (Subproblem& region : regions) settle(std::move(region));
    }

    // The best region, and so on but for every second one, which stays; they are here no more. The best goes
    // on: whoever keeps it back for himself may keep it for ever, and the bound with it.
    std::vector<int64_t> give(int64_t count, bool all) {
        std::vector<int64_t> words;
        std::vector<Subproblem> stay;
        Subproblem region;
        for (int64_t g = 0; g < count && !nothing_open(); ++g) {
            frontier_.pop(region);
            packing_.pack(region, words);
            if (all || nothing_open()) continue;
            frontier_.pop(region);
            stay.push_back(region);
        }
        for (auto kept = stay.rbegin(); kept != stay.rend(); ++kept) frontier_.push(*kept);
        return words;
    }

    // A copy of all that is open. What an incumbent found since has closed is discarded first, so that the
    // copy and `discarded_least` speak of everything.
    std::vector<int64_t> regions() {
        const auto before = frontier_.size();
        const double least = frontier_.take_out([&](double loss) { return closed(loss); });
        discarded_least_ = std::min(discarded_least_, least);
        outcome_.discarded += before - frontier_.size();
        std::vector<int64_t> words;
        frontier_.each([&](const Subproblem& region) { packing_.pack(region, words); });
        return words;
    }

    // Whether no tree of such a region is worth a search: gain within the tolerance of the incumbent's.
    bool closed(double least_loss) const {
        const double upper = settings_.best_gain - least_loss;
        const double lower = settings_.best_gain - incumbent_;
        const double gap = settings_.gap_tolerance * std::max(std::abs(upper), std::abs(lower));
        return least_loss >= incumbent_ - std::max(settings_.resolution, std::isfinite(gap) ? gap : 0.0);
    }

    bool nothing_open() const { return frontier_.empty() || closed(frontier_.least_loss()); }
    int64_t open() const { return nothing_open() ? 0 : frontier_.size(); }
    size_t width() const { return packing_.width(); }
    const Outcome& outcome() const { return outcome_; }

    double incumbent() const { return incumbent_; }
    double open_least() const { return frontier_.least_loss(); }
    double discarded_least() const { return discarded_least_; }

    // No tree of the regions that were ever here, less those given away, loses less; the incumbent aside.
    double least_loss() const { return std::min(discarded_least_, frontier_.least_loss()); }

    Outcome conclude() {
        if (!outcome_.feasible) return outcome_;
        const double least = least_loss();
        if (!std::isfinite(incumbent_)) {  // stopped before any tree was found, and none was given
            offer(Primal(step_, shape_).best_in(shape_.root(settings_.seed)));
        }
        outcome_.least_loss = std::min(least, incumbent_);
        return outcome_;
    }

  private:
    // A region from outside: bounded as if nothing were known of it.
    void settle(Subproblem region) {
        if (!settler_) settler_.emplace(*this);
        settler_->arrivals->compute(region, settings_.switches.group);
        settler_->bound.apply(region, *settler_->arrivals, nullptr);
        ++outcome_.bounded;
        const bool solved = shape_.one_shape(region);
        const bool first = settings_.switches.primal && outcome_.bounded == 1;
        if (first || solved) {
            Candidate tree = settler_->primal.best_in(region);
            if (solved) region.least_loss = tree.loss;
            offer(std::move(tree));
        }
        keep(region, solved);
    }

    void offer(Candidate tree) {
        ++outcome_.candidates;
        if (!(tree.loss < incumbent_)) return;
        incumbent_ = tree.loss;
        outcome_.tree = std::move(tree);
    }

    void keep(const Subproblem& region, bool solved) {
        if (discards(region, solved)) return;
        frontier_.push(region);
        outcome_.largest_frontier = std::max(outcome_.largest_frontier, frontier_.size());
    }

    bool discards(const Subproblem& region, bool solved) {
        if (!solved && !closed(region.least_loss)) return false;
        discarded_least_ = std::min(discarded_least_, region.least_loss);
        ++outcome_.discarded;
        return true;
    }

    // What one thread works in, and what it has made of its region.
    struct Worker {
        explicit Worker(const Search& search)
            : three{{search.step_, search.shape_},
                    {search.step_, search.shape_},
                    {search.step_, search.shape_}},
              bound(search.step_, search.shape_, search.settings_.switches),
              primal(search.step_, search.shape_) {}

        ReachableRows three[3];
        ReachableRows* arrivals = three;  // of the region
        ReachableRows* child_arrivals[2] = {three + 1, three + 2};
        Bound bound;
        Primal primal;
        int64_t primal_work = 0;
        Subproblem region;
        bool held = false;  // whether it is next and was never in the frontier: its arrivals are known
        Subproblem children[2];
        bool solved[2] = {false, false};
        size_t born = 0;
        std::vector<Candidate> trees;
    };

    // Node selection: the region with the largest upper bound (the least loss). False: there is no more.
    bool select(Worker& mine, Stop& stop, std::unique_lock<std::mutex>& lock) {
        if (mine.held && (stop.raised() || closed(mine.region.least_loss))) put_back(mine);
        while (!mine.held && !stop.raised() && nothing_open() && busy_ > 0) {
            ++waiting_;
            changed_.wait_for(lock, std::chrono::duration<double>(kLook));
            --waiting_;
        }
        const bool more = !stop.raised() && (mine.held || !nothing_open()) && !stop.check();
        if (more && frontier_.bytes() > settings_.bytes) stop.raise(Reason::memory);
        if (!more || stop.raised()) {
            if (mine.held) put_back(mine);
            return false;
        }
        if (!mine.held) frontier_.pop(mine.region);
        ++busy_;
        ++outcome_.expanded;
        return true;
    }

    void put_back(Worker& mine) {
        frontier_.push(mine.region);
        mine.held = false;
    }

    // Branching and bounding of one region; looks at nothing that threads share.
    void expand(Worker& mine) const {
        mine.born = 0;
        mine.trees.clear();
        // Branching: the region becomes two, of which one may be empty. Side 0 is the newest: split, this
        // feature, lower half, this action.
        const Branch branch = branching_.choose(mine.region);
        if (!mine.held) mine.arrivals->compute(mine.region, settings_.switches.group);
        const int32_t changed = branch.variable == Variable::kAction ? -1 : branch.node;
        for (const int side : {1, 0}) {
            Subproblem& child = mine.children[mine.born];
            child = mine.region;
            if (branching_.child(child, branch, side)) bound(mine, child, changed);
        }
    }

    // Bounding: from above in closed form (alpha), from below by a tree of the region now and then (beta).
    void bound(Worker& mine, Subproblem& child, int32_t changed) const {
        ReachableRows& arrivals = *mine.child_arrivals[mine.born];
        arrivals.update(*mine.arrivals, child, changed, settings_.switches.group);
        mine.bound.apply(child, arrivals, mine.arrivals);
        const bool due =
            settings_.switches.primal && mine.primal_work + mine.primal.cost() <= mine.bound.work;
        if (due) mine.primal_work += mine.primal.cost();
        const bool solved = shape_.one_shape(child);
        if (due || solved) mine.trees.push_back(mine.primal.best_in(child));
        if (solved) child.least_loss = std::max(child.least_loss, mine.trees.back().loss);
        mine.solved[mine.born++] = solved;
    }

    // The incumbent, and the frontier without what cannot beat it.
    void collect(Worker& mine) {
        for (auto& tree : mine.trees) offer(std::move(tree));
        outcome_.bounded += static_cast<int64_t>(mine.born);
        size_t open[2], count = 0;
        for (size_t c = 0; c < mine.born; ++c) {
            if (!discards(mine.children[c], mine.solved[c])) open[count++] = c;
        }
        // Where a child is next, of equals the newest, it stays in hand.
        size_t next = 2;
        double least = frontier_.least_loss();
        for (size_t c = 0; c < count; ++c) {
            if (mine.children[open[c]].least_loss > least) continue;
            next = open[c];
            least = mine.children[next].least_loss;
        }
        for (size_t c = 0; c < count; ++c) {
            if (open[c] != next) frontier_.push(mine.children[open[c]]);
        }
        mine.held = next < 2;
        if (mine.held) {
            std::swap(mine.region, mine.children[next]);
            std::swap(mine.arrivals, mine.child_arrivals[next]);
        }
        outcome_.largest_frontier = std::max(outcome_.largest_frontier, frontier_.size() + mine.held);
        --busy_;
        if (waiting_ > 0) changed_.notify_all();
    }

    void work(Stop& stop) {
        Worker mine(*this);
        std::unique_lock lock(mutex_);
        while (select(mine, stop, lock)) {
            lock.unlock();
            expand(mine);
            lock.lock();
            collect(mine);
        }
        changed_.notify_all();
    }

    static constexpr double kLook = 0.05;  // seconds between two looks at the wish

    const Step& step_;
    const Settings settings_;
    const Shape shape_;
    const Branching branching_;
    const Packing packing_;

    std::mutex mutex_;                 // guards everything below
    std::condition_variable changed_;  // for threads that wait for regions
    Frontier frontier_;
    double incumbent_;
    double discarded_least_ = std::numeric_limits<double>::infinity();
    std::optional<Worker> settler_;
    int32_t busy_ = 0;     // threads that expand a region: they put its children back before they stop
    int32_t waiting_ = 0;  // threads without one
    Outcome outcome_;
};

}  // namespace spotree::rsbb
