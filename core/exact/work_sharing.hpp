// Nodes that idle threads may help with.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "exact/search_node.hpp"
#include "runtime/threads.hpp"

namespace spotree::exact {

class Share {
  public:
    void open() {
        finished_ = false;
        offered_.clear();
    }

    // Let all helpers go.
    void close() {
        {
            std::lock_guard lock(mutex_);
            finished_ = true;
        }
        changed_.notify_all();
    }

    // Idle threads join any node on offer that still has splits to try, until `close`.
    template <class Process>
    void help(const Stop& stop, const Process& process) {
        std::unique_lock lock(mutex_);
        while (!finished_) {
            Node* open = nullptr;
            for (Node* node : offered_) {
                if (!node->exhausted) open = node;
            }
            if (!open || stop.raised()) {
                changed_.wait_for(lock, std::chrono::milliseconds(1));
                continue;
            }
            ++open->helpers;
            lock.unlock();
            {
                const AtEnd leave([&] {
                    if (--open->helpers == 0) open->helpers.notify_all();
                });
                process(*open);
            }
            lock.lock();
        }
    }

    void offer(Node& node) {
        std::lock_guard lock(mutex_);
        offered_.push_back(&node);
        changed_.notify_all();
    }

    // No more helpers; wait for those at work.
    void withdraw(Node& node) {
        {
            std::lock_guard lock(mutex_);
            offered_.erase(std::find(offered_.begin(), offered_.end(), &node));
        }
        for (int32_t h = node.helpers; h != 0; h = node.helpers) node.helpers.wait(h);
    }

  private:
    bool finished_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Node*> offered_;
};

}  // namespace spotree::exact
