// Whether a certificate holds: every tree of its size is in a closed region. Parts cover their whole and are
// smaller than it, so no proof leans on itself. Regions are checked on all cores, each where it stands in the
// proof.
#pragma once

#include <condition_variable>
#include <exception>
#include <thread>

#include "worker.hpp"

namespace checker {

// Lets all workers do what is in a list that grows.
class Crew {
  public:
    Crew(std::vector<std::unique_ptr<Worker>>& workers, std::atomic<bool>& stop)
        : workers_(workers), stop_(stop) {}

    void run(std::vector<Task> first, std::atomic<int64_t>& done) {
        tasks_ = std::move(first);
        std::vector<std::jthread> threads;
        for (size_t k = 1; k < workers_.size(); ++k)
            threads.emplace_back([&, k] { work(*workers_[k], done); });
        work(*workers_[0], done);
        threads.clear();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void work(Worker& worker, std::atomic<int64_t>& done) {
        std::unique_lock hold(lock_);
        while (true) {
            while (tasks_.empty() && busy_ > 0 && !over()) changed_.wait(hold);
            if (tasks_.empty() || over()) break;
            const Task task = std::move(tasks_.back());
            tasks_.pop_back();
            ++busy_;
            hold.unlock();
            std::vector<Task> more;
            std::exception_ptr failure;
            try {
                worker.work(task, more);
                ++done;
            } catch (...) {
                failure = std::current_exception();
            }
            hold.lock();
            --busy_;
            if (failure && !failure_) failure_ = failure;
            std::move(more.rbegin(), more.rend(), std::back_inserter(tasks_));
            changed_.notify_all();
        }
        changed_.notify_all();
    }

    bool over() const { return failure_ || stop_; }

    std::vector<std::unique_ptr<Worker>>& workers_;
    std::atomic<bool>& stop_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<Task> tasks_;
    int busy_ = 0;
    std::exception_ptr failure_;
};

// Throws Rejected unless every tree is in a closed region.
inline void prove(Shared& shared, int threads) {
    std::atomic<bool>& stop = shared.stop;
    const Model& m = shared.model;
    std::vector<std::unique_ptr<Worker>> workers;
    for (int k = 0; k < threads; ++k) workers.push_back(std::make_unique<Worker>(shared));
    Worker& first = *workers[0];
    const auto root = std::make_shared<State>();
    root->allowed = ActionSets(m.groups, m.actions);
    double highest = 0;
    for (const double r : m.reward) highest = std::max(highest, r);
    root->value.assign(m.states, highest / m.far);
    root->visits.assign(m.states, 0.0);
    const Record& record = shared.records.all[shared.records.root];
    const std::vector<Item> whole{{0, Sizes(shared.header.depth, shared.header.max_leaves).whole()}};
    if (first.closes(record, *root, whole, true) || stop) return;
    for (const Record& solo : shared.records.all) {
        if (solo.parent != -2 || stop) continue;
        const int32_t cube = first.solo_cube(solo);
        if (!first.is_hopeless(solo, root, whole))
            reject("region ", solo.number, ": the leaf is not shown to be hopeless");
        first.enter_hopeless(cube, solo.first);
        ++shared.done;
    }
    if (stop || (root->has_losses && first.trees(*root).least(whole) >= root->budget)) return;
    std::vector<Task> tasks;
    first.part(shared.records.root, root, whole, tasks);
    Crew(workers, stop).run(std::move(tasks), shared.done);
    if (stop) return;
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

// What a certificate shows, if it holds (and was not stopped); throws Rejected if not.
inline Shown check(const Arrays& arrays, const Header& header, std::span<const int32_t> words,
                   std::span<const double> numbers, int threads, std::atomic<bool>& stop,
                   std::atomic<int64_t>& done, std::atomic<int64_t>& total) {
    Shared shared(header, arrays, words, numbers, stop, done);
    total = int64_t(shared.records.all.size());
    if (!stop) prove(shared, std::max(1, threads));
    return {shared.claim.value, shared.claim.bound, shared.claim.tolerance};
}

}  // namespace checker
