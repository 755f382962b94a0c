// Whether a certificate holds: every tree of its size is in a closed region. Regions are checked on all
// cores, each where it stands in the proof.
#pragma once

#include <condition_variable>
#include <exception>
#include <thread>

#include "check_branching.hpp"

namespace checker {

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
            Task task = std::move(tasks.back());
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
    const double highest = std::accumulate(m.reward.begin(), m.reward.end(), 0.0,
                                           [](double x, double y) { return std::max(x, y); });
    const auto root = std::make_shared<State>(State{
        m.all_actions(), std::vector<double>(m.states, highest / m.far), std::vector<double>(m.states, 0.0)});
    const Record& record = shared.records.all[shared.records.root];
    const Items whole{{0, shared.sizes.whole()}};
    if (rounds.close(record, *root, whole)) return;
    for (const Record& solo : shared.records.all) {
        if (solo.parent != -2) continue;
        rounds.take_solo(solo, *root, whole);
        ++shared.progress.done;
    }
    if (root->budget >= 0) {
        rounds.trees().take(root->losses);  // again: what is least changes with hopeless leaves
        if (rounds.trees().least(whole) >= root->budget) return;
    }
    std::vector<Task> tasks;
    workers[0]->part(record, root, whole, tasks);
    work_off(std::move(tasks), workers);
    std::unordered_map<int32_t, Name> known;  // of regions that were checked
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
                   std::span<const double> numbers, int threads, Progress& progress) {
    Shared shared(header, arrays, words, numbers, progress);
    progress.total = int64_t(shared.records.all.size());
    prove(shared, std::max(1, threads));
    return {shared.claim.value, shared.claim.bound, shared.claim.tolerance};
}

}  // namespace checker
