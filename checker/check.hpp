// Whether a certificate holds: every tree of its size is in a closed region. Regions are checked on all
// cores, each where it stands in the proof.
#pragma once

#include <condition_variable>
#include <exception>
#include <thread>

#include "cover.hpp"

namespace checker {

// Checks one region after the other.
class Worker {
  public:
    explicit Worker(Shared& shared)
        : rounds(shared),
          cover(shared, rounds,
                [this](const Record& record, const ActionSets& allowed, const std::vector<Item>& items) {
                    remember(record, allowed, items);
                }),
          all_(shared) {}
    Worker(const Worker&) = delete;

    struct Reference {  // a region that is said to equal another one, or its image
        int32_t number, refers;
        Names::Name name;  // of what the other one must be
    };
    std::vector<std::pair<int32_t, Names::Name>> known;  // regions that were checked here and are referred to
    std::vector<Reference> owed;
    Rounds rounds;
    Cover cover;

    // Checks a part, and what is left of it becomes new tasks.
    void work(const Task& task, std::vector<Task>& more) {
        const Record& record = all_.records.all[task.record];
        ActionSets allowed = task.whole->allowed;
        if (task.narrow) task.narrow(allowed);
        if (record.branching[0] == 6) return refer(record, std::move(allowed), task.items);
        remember(record, allowed, task.items);
        const auto state = std::make_shared<State>(
            State{std::move(allowed), task.whole->value, task.whole->visits, false, 0, {}});
        const bool closed = rounds.close(record, *state, task.items);
        // What is closed here need not have been for the search: other regions may equal its parts.
        if (!closed || record.branching[0] == 2 || record.branching[0] == 3)
            cover.part(record, state, task.items, more);
    }

  private:
    // Lemma 8: equal regions need one proof; lemma S: so do images.
    void remember(const Record& record, const ActionSets& allowed, const std::vector<Item>& items) {
        ++all_.done;
        if (record.referred) known.emplace_back(record.number, all_.names(allowed.bits(), items));
    }

    void refer(const Record& record, ActionSets allowed, std::vector<Item> items) {
        const auto words = record.branching;
        if (words.size() > 2) {
            if (words.size() > 3 || words[2] < 0 || words[2] >= all_.symmetries.count())
                reject("the certificate is malformed: region ", record.number,
                       " is an image under no symmetry");
            for (auto& item : items)
                item.cube =
                    all_.cube_of(all_.symmetries.before(words[2], all_.cubes().cubes[item.cube].inside));
            allowed = all_.symmetries.before(words[2], allowed);
        }
        ++all_.done;
        owed.push_back({record.number, words[1], all_.names(allowed.bits(), items)});
    }

    Shared& all_;
};

// Lets all workers do what is in a list that grows.
inline void work_off(std::vector<Task> tasks, std::vector<std::unique_ptr<Worker>>& workers) {
    std::mutex lock;
    std::condition_variable changed;
    size_t idle = workers.size();
    std::exception_ptr failure;
    auto work = [&](Worker& worker) {
        std::unique_lock hold(lock);
        while (true) {
            changed.wait(hold, [&] { return !tasks.empty() || idle == workers.size() || failure; });
            if (tasks.empty() || failure) return;
            const Task task = std::move(tasks.back());
            tasks.pop_back();
            --idle;
            hold.unlock();
            std::vector<Task> more;
            std::exception_ptr failed;
            try {
                worker.work(task, more);
            } catch (...) {
                failed = std::current_exception();
            }
            hold.lock();
            ++idle;
            if (failed) failure = failed;
            std::move(more.rbegin(), more.rend(), std::back_inserter(tasks));
            changed.notify_all();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (auto& worker : workers) threads.emplace_back([&] { work(*worker); });
    }
    if (failure) std::rethrow_exception(failure);
}

// Throws Rejected unless every tree is in a closed region.
inline void prove(Shared& shared, int threads) {
    const Model& m = shared.model;
    std::vector<std::unique_ptr<Worker>> workers;
    for (int k = 0; k < threads; ++k) workers.push_back(std::make_unique<Worker>(shared));
    Rounds& rounds = workers[0]->rounds;
    const double highest = std::max(0.0, *std::max_element(m.reward.begin(), m.reward.end()));
    const auto root = std::make_shared<State>(State{ActionSets(m.groups, m.actions),
                                                    std::vector<double>(m.states, highest / m.far),
                                                    std::vector<double>(m.states, 0.0),
                                                    false,
                                                    0,
                                                    {}});
    const Record& record = shared.records.all[shared.records.root];
    const std::vector<Item> whole{{0, Sizes(shared.header.depth, shared.header.max_leaves).whole()}};
    if (rounds.close(record, *root, whole)) return;
    for (const Record& solo : shared.records.all) {
        if (solo.parent != -2) continue;
        rounds.take_solo(solo, *root, whole);
        ++shared.done;
    }
    if (root->has_losses && rounds.trees(*root).least(whole) >= root->budget) return;
    std::vector<Task> tasks;
    workers[0]->cover.part(record, root, whole, tasks);
    work_off(std::move(tasks), workers);
    std::unordered_map<int32_t, Names::Name> known;  // of regions that were checked
    for (const auto& worker : workers) known.insert(worker->known.begin(), worker->known.end());
    for (const auto& worker : workers) {
        for (const auto& [number, refers, name] : worker->owed) {
            const auto at = known.find(refers);
            if (at == known.end() || at->second != name)
                reject("region ", number, " is said to be proved by region ", refers,
                       ", which is neither it nor what it is the image of");
        }
    }
}

struct Shown {
    double value, bound, tolerance;
};

// What a certificate shows, if it holds; throws Rejected if not, or if it was stopped.
inline Shown check(const Arrays& arrays, const Header& header, std::span<const int32_t> words,
                   std::span<const double> numbers, int threads, const std::atomic<bool>& stop,
                   std::atomic<int64_t>& done, std::atomic<int64_t>& total) {
    Shared shared(header, arrays, words, numbers, stop, done);
    total = int64_t(shared.records.all.size());
    prove(shared, std::max(1, threads));
    return {shared.claim.value, shared.claim.bound, shared.claim.tolerance};
}

}  // namespace checker
