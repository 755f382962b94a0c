// The regions still to be searched, the one with the smallest loss on top.
#pragma once

#include <cstring>

#include "rsbb/lazy_heap.hpp"
#include "rsbb/node_codec.hpp"
#include "rsbb/slab_allocator.hpp"

namespace spotree::rsbb {

class Frontier {
  public:
    Frontier(const Step& step, const Shape& shape, bool snap, uint64_t seed)
        : code_(step, shape, snap, seed), written_(code_.most_words()) {}

    bool empty() const { return queue_.empty(); }
    int64_t size() const { return queue_.size(); }
    double bytes() const { return bytes_; }
    double least_loss() const {
        return queue_.empty() ? std::numeric_limits<double>::infinity() : queue_.top().loss;
    }

    void push(const Region& region) {
        const size_t words = code_.write(region, written_.data());
        uint64_t* slot = slots_.take(words);
        std::memcpy(slot, written_.data(), 8 * words);
        bytes_ += entry_bytes(words);
        queue_.push({region.least_loss, order_++, slot});
    }

    void pop(Region& region) {
        const Entry entry = queue_.pop();
        free(entry, read(entry, region));
        if (!queue_.empty()) look_ahead(queue_.top());
    }

    // Takes out all regions whose loss says so; the least of their losses.
    template <class Which>
    double take_out(const Which& which) {
        double least = std::numeric_limits<double>::infinity();
        Region region;
        queue_.erase_if([&](const Entry& entry) {
            if (!which(entry.loss)) return false;
            least = std::min(least, entry.loss);
            free(entry, read(entry, region));
            return true;
        });
        return least;
    }

    // Looks at every region, in no order.
    template <class Look>
    void each(const Look& look) const {
        Region region;
        queue_.each([&](const Entry& entry) {
            read(entry, region);
            look(region);
        });
    }

  private:
    struct Entry {
        double loss;
        uint64_t order;  // of equals the newest is next: it dives
        uint64_t* slot;
    };

    size_t read(const Entry& entry, Region& region) const {
        region.least_loss = entry.loss;
        return code_.read(entry.slot, region);
    }

    void free(const Entry& entry, size_t words) {
        slots_.give_back(entry.slot, words);
        bytes_ -= entry_bytes(words);
    }

    // The next region is on its way from memory while this one is worked on.
    static void look_ahead([[maybe_unused]] const Entry& entry) {
#if defined(__GNUC__)
        for (size_t word = 0; word < 32; word += 8) __builtin_prefetch(entry.slot + word);
#endif
    }

    static double entry_bytes(size_t words) {
        return static_cast<double>(sizeof(Entry) + sizeof(uint64_t*) + Slots::bytes(words));
    }

    const Code code_;
    std::vector<uint64_t> written_;
    Queue<Entry> queue_;
    Slots slots_;
    uint64_t order_ = 0;
    double bytes_ = 0;
};

}  // namespace spotree::rsbb
