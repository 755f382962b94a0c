// The regions still to be searched, packed, the one with the smallest loss on top.
#pragma once

#include <cstring>
#include <memory>

#include "rsbb/region.hpp"

namespace spotree::rsbb {

// Slots of one size from large blocks: a million regions come and go without a million allocations.
class Pool {
  public:
    explicit Pool(size_t words) : words_(words), per_block_(std::max<size_t>(1, kBlockWords / words)) {}

    uint64_t* take() {
        if (!unused_.empty()) {
            uint64_t* slot = unused_.back();
            unused_.pop_back();
            return slot;
        }
        if (blocks_.empty() || fresh_ == per_block_) {
            blocks_.push_back(std::make_unique_for_overwrite<uint64_t[]>(words_ * per_block_));
            fresh_ = 0;
        }
        return blocks_.back().get() + words_ * fresh_++;
    }

    void give_back(uint64_t* slot) { unused_.push_back(slot); }
    size_t words() const { return words_; }

  private:
    static constexpr size_t kBlockWords = size_t{1} << 15;
    size_t words_;
    size_t per_block_;
    size_t fresh_ = 0;
    std::vector<std::unique_ptr<uint64_t[]>> blocks_;
    std::vector<uint64_t*> unused_;
};

class Frontier {
  public:
    explicit Frontier(const Step& step) : step_(step) {}

    bool empty() const { return entries_.empty(); }
    int64_t size() const { return std::ssize(entries_); }
    double bytes() const { return bytes_; }
    double least_loss() const {
        return entries_.empty() ? std::numeric_limits<double>::infinity() : entries_.front().loss;
    }

    void push(const Region& region) {
        const int32_t filled = leaves_with_rows(region);
        const size_t fixed = 3 + region.sets.size() + 2 * static_cast<size_t>(step_.inner);
        while (std::ssize(pools_) <= filled) pools_.emplace_back(fixed + pools_.size() * (1 + step_.actions));
        uint64_t* slot = pools_[filled].take();
        uint64_t* at = slot;
        put(at, &region.settled_loss, 1);
        put(at, &region.key, 1);
        put(at, region.sets.data(), region.sets.size());
        put(at, region.low.data(), region.low.size());
        put(at, region.high.data(), region.high.size());
        for (uint64_t l = 0; l < static_cast<uint64_t>(step_.leaves) && filled > 0; ++l) {
            if (!has_rows(region, static_cast<int32_t>(l))) continue;
            put(at, &l, 1);
            put(at, region.certain_loss.data() + l * step_.actions, step_.actions);
        }
        bytes_ += entry_bytes(filled);
        entries_.push_back(
            {region.least_loss, order_++, slot, filled, static_cast<uint32_t>(region.sets.size())});
        std::push_heap(entries_.begin(), entries_.end(), later);
    }

    void pop(Region& region) {
        std::pop_heap(entries_.begin(), entries_.end(), later);
        const Entry entry = entries_.back();
        entries_.pop_back();
        read(entry, region);
        pools_[entry.filled].give_back(entry.slot);
        bytes_ -= entry_bytes(entry.filled);
    }

    // Takes out all regions whose loss says so; the least of their losses.
    template <class Which>
    double take_out(const Which& which) {
        double least = std::numeric_limits<double>::infinity();
        std::erase_if(entries_, [&](const Entry& entry) {
            if (!which(entry.loss)) return false;
            least = std::min(least, entry.loss);
            pools_[entry.filled].give_back(entry.slot);
            bytes_ -= entry_bytes(entry.filled);
            return true;
        });
        std::make_heap(entries_.begin(), entries_.end(), later);
        return least;
    }

    // Looks at every region, in no order.
    template <class Look>
    void each(const Look& look) const {
        Region region;
        for (const Entry& entry : entries_) {
            read(entry, region);
            look(region);
        }
    }

  private:
    struct Entry {
        double loss;
        uint64_t order;
        uint64_t* slot;
        int32_t filled;  // leaves with certain rows: the size of the slot
        uint32_t set_words;
    };

    void read(const Entry& entry, Region& region) const {
        const uint64_t* at = entry.slot;
        region.least_loss = entry.loss;
        region.sets.resize(entry.set_words);
        region.low.resize(step_.inner);
        region.high.resize(step_.inner);
        get(at, &region.settled_loss, 1);
        get(at, &region.key, 1);
        get(at, region.sets.data(), region.sets.size());
        get(at, region.low.data(), region.low.size());
        get(at, region.high.data(), region.high.size());
        region.certain_loss.assign(entry.filled > 0 ? step_.leaves * step_.actions : 0, 0.0);
        for (int32_t f = 0; f < entry.filled; ++f) {
            uint64_t l;
            get(at, &l, 1);
            get(at, region.certain_loss.data() + l * step_.actions, step_.actions);
        }
    }

    // Of equals the newest is next: it dives.
    static bool later(const Entry& a, const Entry& b) {
        return a.loss != b.loss ? a.loss > b.loss : a.order < b.order;
    }

    template <class T>
    static void put(uint64_t*& at, const T* from, size_t count) {
        static_assert(sizeof(T) == 8);
        if (count > 0) std::memcpy(at, from, 8 * count);
        at += count;
    }

    template <class T>
    static void get(const uint64_t*& at, T* to, size_t count) {
        static_assert(sizeof(T) == 8);
        if (count > 0) std::memcpy(to, at, 8 * count);
        at += count;
    }

    bool has_rows(const Region& region, int32_t leaf) const {
        const double* loss = region.certain_loss.data() + leaf * step_.actions;
        return std::any_of(loss, loss + step_.actions, [](double x) { return x != 0; });
    }

    int32_t leaves_with_rows(const Region& region) const {
        int32_t count = 0;
        for (int32_t l = 0; l < step_.leaves && !region.certain_loss.empty(); ++l)
            count += has_rows(region, l);
        return count;
    }

    double entry_bytes(int32_t filled) const {
        return static_cast<double>(sizeof(Entry) + sizeof(uint64_t*) + 8 * pools_[filled].words());
    }

    const Step& step_;
    std::vector<Entry> entries_;  // a heap
    std::vector<Pool> pools_;     // [leaves with certain rows]
    uint64_t order_ = 0;
    double bytes_ = 0;
};

}  // namespace spotree::rsbb
