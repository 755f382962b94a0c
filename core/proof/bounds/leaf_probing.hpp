// Leaves that no improving tree has: the root region with that one leaf fixed is closed.
#pragma once

#include "proof/log/proof_log.hpp"

namespace spotree::proof {

class LeafProbing {
  public:
    LeafProbing(Shared& shared, ProofLog& journal, const Subproblem& root)
        : shared_(shared),
          m_(shared.model),
          cubes_(shared.cubes),
          journal_(journal),
          root_(root),
          bound_(std::make_unique<std::atomic<double>[]>(size_t(cubes_.size()) * m_.num_actions)),
          hopeless_(size_t(cubes_.size()) * m_.num_actions, 0) {
        for (size_t k = 0; k < hopeless_.size(); ++k) bound_[k] = kInfinity;
    }

    // Tells a thread's bounder what all threads have found; `known` is how much it has heard.
    void tell(Bounder& bounder, size_t& known) {
        if (known == count_.load(std::memory_order_acquire) && !bounder.viable.empty()) return;
        std::scoped_lock hold(lock_);
        if (bounder.viable.empty()) {
            bounder.viable.assign(size_t(cubes_.size()) * m_.words, ~uint64_t(0));
            known = 0;
        }
        for (; known < found_.size(); ++known) {
            const auto [cube, action] = found_[known];
            bounder.viable[size_t(cube) * m_.words + action / 64] &= ~ActionSets::bit(action);
        }
    }

    // Looks for hopeless leaves among the smallest cubes beforehand, while they are a quarter of all regions
    // so far at most: they cost little beside the rest of the proof. Any number of threads.
    void look(Bounder& bounder, auto&& stop) {
        while (kLookPart * looked_.load() < shared_.regions.load()) {
            const int cube = cubes_.size() - 1 - next_.fetch_add(1);
            if (cube < 0) return;
            if (cubes_.cubes[cube].level < cubes_.depth && cubes_.cubes[cube].edge_count > 0) continue;
            for (int a = 0; a < m_.num_actions; ++a) {
                if (stop()) return;
                ++looked_;
                hopeless(bounder, cube, a);
            }
        }
    }

    // A leaf that was found to be hopeless before, with its images, and is written down.
    void know(int cube, int action) {
        const size_t leaf = size_t(cube) * m_.num_actions + action;
        std::scoped_lock hold(lock_);
        if (hopeless_[leaf]) return;
        hopeless_[leaf] = 1;
        bound_[leaf] = -kInfinity;
        found_.emplace_back(cube, action);
        count_.store(found_.size(), std::memory_order_release);
    }

    std::vector<std::pair<int32_t, int32_t>> found() {
        std::scoped_lock hold(lock_);
        return found_;
    }

    bool hopeless(Bounder& bounder, int cube, int action) {
        const size_t leaf = size_t(cube) * m_.num_actions + action;
        const double known = bound_[leaf].load(std::memory_order_relaxed);
        if (known == -kInfinity) return true;
        if (known < kInfinity && known > shared_.close_at()) return false;
        Subproblem region = root_;
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (region.allowed.has(*g, action)) {
                region.allowed.keep_only(*g, action);
            } else {
                std::fill_n(region.allowed.of(*g), m_.words, 0);
            }
        }
        Draft draft;
        draft.brief = journal_.brief();
        // Regret is tried as long as it closes one leaf in ten that the relaxation leaves open.
        const bool thorough = tried_.load() < 40 || 10 * gained_.load() >= tried_.load();
        const Verdict verdict =
            bounder.process(region, {{0, shared_.sizes.whole, 0}}, 1, false, journal_.on ? &draft : nullptr,
                            nullptr, thorough ? Effort::rough : Effort::relaxation);
        if (verdict == Verdict::stopped) return false;
        const bool closed = verdict == Verdict::closed;
        if (thorough && region.relaxed.bound > shared_.close_at()) ++tried_, gained_ += closed;
        for (const auto& [c, a] : images(cube, action))
            bound_[size_t(c) * m_.num_actions + a] = closed ? -kInfinity : region.bound;
        if (closed) write(cube, action, draft);
        return closed;
    }

  private:
    static constexpr int kLookPart = 4;  // one region in so many is a leaf that is looked at beforehand

    // The leaf and what it is under symmetries (lemma S, c), each once.
    std::vector<std::pair<int32_t, int32_t>> images(int cube, int action) const {
        const Symmetries& s = shared_.symmetries;
        std::vector<std::pair<int32_t, int32_t>> found{{cube, action}};
        for (int k = 1; k < s.count() && s.usable(); ++k)
            found.emplace_back(s.cube(k, cube), s.action(k, action));
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    void write(int cube, int action, const Draft& draft) {
        std::scoped_lock hold(lock_);
        if (hopeless_[size_t(cube) * m_.num_actions + action]) return;
        std::vector<int32_t> path{4};
        for (int v = cube; cubes_.cubes[v].from >= 0; v = cubes_.cubes[v].from) {
            path.push_back(2 * cubes_.cubes[v].split + (cubes_.cubes[v].is_left ? 0 : 1));
        }
        write_region(journal_, -2, action, int32_t(path.size()) - 1, draft, path);
        for (const auto& [c, a] : images(cube, action)) {
            hopeless_[size_t(c) * m_.num_actions + a] = 1;
            found_.emplace_back(c, a);
        }
        count_.store(found_.size(), std::memory_order_release);
    }

    Shared& shared_;
    const GroupedModel& m_;
    const FeatureBoxes& cubes_;
    ProofLog& journal_;
    Subproblem root_;
    std::unique_ptr<std::atomic<double>[]>
        bound_;  // [cube, action]; infinite: not known, -infinite: hopeless
    std::atomic<int> next_{0}, tried_{0}, gained_{0};
    std::atomic<int64_t> looked_{0};
    std::mutex lock_;
    std::vector<char> hopeless_;
    std::vector<std::pair<int32_t, int32_t>> found_;  // hopeless leaves
    std::atomic<size_t> count_{0};
};

}  // namespace spotree::proof
