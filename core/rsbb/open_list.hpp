// The regions still to be searched, the one with the smallest loss on top.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "rsbb/node_codec.hpp"

namespace spotree::rsbb {

// SlabAllocator of one size; what was given back is taken first.
class Pool {
  public:
    explicit Pool(size_t words) : words_(words) {}

    uint64_t* take() {
        if (!unused_.empty()) {
            uint64_t* slot = unused_.back();
            unused_.pop_back();
            return slot;
        }
        if (left_ < words_) {
            left_ = std::max(words_, kBlockWords);
            blocks_.push_back(std::make_unique_for_overwrite<uint64_t[]>(left_));
            fresh_ = blocks_.back().get();
        }
        uint64_t* slot = fresh_;
        fresh_ += words_;
        left_ -= words_;
        return slot;
    }

    void give_back(uint64_t* slot) { unused_.push_back(slot); }

  private:
    static constexpr size_t kBlockWords = size_t{1} << 15;
    size_t words_;
    size_t left_ = 0;  // words of the last block that nobody had yet
    uint64_t* fresh_ = nullptr;
    std::vector<std::unique_ptr<uint64_t[]>> blocks_;
    std::vector<uint64_t*> unused_;
};

// SlabAllocator of any size, in classes of four words.
class SlabAllocator {
  public:
    uint64_t* take(size_t words) {
        while (pools_.size() <= of(words)) pools_.emplace_back(kStep * (pools_.size() + 1));
        return pools_[of(words)].take();
    }
    void give_back(uint64_t* slot, size_t words) { pools_[of(words)].give_back(slot); }
    static size_t bytes(size_t words) { return 8 * kStep * (of(words) + 1); }

  private:
    static constexpr size_t kStep = 4;
    static size_t of(size_t words) { return (words - 1) / kStep; }
    std::vector<Pool> pools_;
};

// A heap of all entries would be taken from the far ends of memory at every turn. This one is a heap of the
// near ones, small enough for a cache; the rest lies in piles, each beyond the last, and is sorted only when
// its turn comes (as in quicksort, one half at a time). The order is that of one heap. An Entry has a `loss`
// and an `order`, which is larger the newer it is.
template <class Entry, size_t kNear = size_t{1} << 15>
class LazyHeap {
  public:
    bool empty() const { return size_ == 0; }
    int64_t size() const { return static_cast<int64_t>(size_); }
    const Entry& top() const { return near_.front(); }

    void push(const Entry& entry) {
        ++size_;
        if (!(entry.loss > border_)) {
            near_.push_back(entry);
            std::push_heap(near_.begin(), near_.end(), later);
            if (near_.size() > most_near_) push_away();
            return;
        }
        auto pile = far_.rbegin();  // the last one has no border
        while (entry.loss > pile->border) ++pile;
        pile->entries.push_back(entry);
    }

    Entry pop() {
        std::pop_heap(near_.begin(), near_.end(), later);
        const Entry entry = near_.back();
        near_.pop_back();
        --size_;
        if (near_.empty()) come_near();
        return entry;
    }

    // Drops all entries that say so.
    template <class Which>
    void erase_if(const Which& which) {
        std::erase_if(near_, which);
        size_ = near_.size();
        std::make_heap(near_.begin(), near_.end(), later);
        for (Pile& pile : far_) {
            std::erase_if(pile.entries, which);
            size_ += pile.entries.size();
        }
        if (near_.empty()) come_near();
    }

    template <class Look>
    void each(const Look& look) const {
        for (const Entry& entry : near_) look(entry);
        for (const Pile& pile : far_) {
            for (const Entry& entry : pile.entries) look(entry);
        }
    }

  private:
    struct Pile {
        double border;  // no loss is larger; those of nearer piles are smaller than all losses here
        std::vector<Entry> entries;
    };

    static bool later(const Entry& a, const Entry& b) {
        return a.loss != b.loss ? a.loss > b.loss : a.order < b.order;
    }
    static bool less(const Entry& a, const Entry& b) { return a.loss < b.loss; }

    // The half with the larger losses, in no order, behind a border; empty where too many are equal.
    static std::vector<Entry> cut_off(std::vector<Entry>& entries, double& border) {
        const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2);
        std::nth_element(entries.begin(), middle, entries.end(), less);
        const double loss = middle->loss;
        const auto beyond =
            std::partition(middle, entries.end(), [&](const Entry& entry) { return entry.loss <= loss; });
        std::vector<Entry> rest(beyond, entries.end());
        if (rest.empty()) return rest;
        entries.erase(beyond, entries.end());
        border = loss;
        return rest;
    }

    void push_away() {
        const double outer = border_;
        std::vector<Entry> rest = cut_off(near_, border_);
        if (!rest.empty()) far_.push_back({outer, std::move(rest)});
        most_near_ = std::max(kNear, 2 * near_.size());
        std::make_heap(near_.begin(), near_.end(), later);
    }

    // The next pile becomes the near one; of a large one its smaller half, again and again.
    void come_near() {
        while (near_.empty() && !far_.empty()) {
            border_ = far_.back().border;
            near_ = std::move(far_.back().entries);
            far_.pop_back();
        }
        if (near_.empty()) border_ = std::numeric_limits<double>::infinity();
        while (near_.size() > kNear / 2) {
            const double outer = border_;
            std::vector<Entry> rest = cut_off(near_, border_);
            if (rest.empty()) break;
            far_.push_back({outer, std::move(rest)});
        }
        most_near_ = std::max(kNear, 2 * near_.size());
        std::make_heap(near_.begin(), near_.end(), later);
    }

    std::vector<Entry> near_;                                  // a heap
    double border_ = std::numeric_limits<double>::infinity();  // of the near ones
    size_t most_near_ = kNear;
    std::vector<Pile> far_;  // the nearest is the last
    size_t size_ = 0;
};

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

    void push(const Subproblem& region) {
        const size_t words = code_.write(region, written_.data());
        uint64_t* slot = slots_.take(words);
        std::memcpy(slot, written_.data(), 8 * words);
        bytes_ += entry_bytes(words);
        queue_.push({region.least_loss, order_++, slot});
    }

    void pop(Subproblem& region) {
        const Entry entry = queue_.pop();
        free(entry, read(entry, region));
        if (!queue_.empty()) look_ahead(queue_.top());
    }

    // Takes out all regions whose loss says so; the least of their losses.
    template <class Which>
    double take_out(const Which& which) {
        double least = std::numeric_limits<double>::infinity();
        Subproblem region;
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
        Subproblem region;
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

    size_t read(const Entry& entry, Subproblem& region) const {
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
        return static_cast<double>(sizeof(Entry) + sizeof(uint64_t*) + SlabAllocator::bytes(words));
    }

    const Code code_;
    std::vector<uint64_t> written_;
    LazyHeap<Entry> queue_;
    SlabAllocator slots_;
    uint64_t order_ = 0;
    double bytes_ = 0;
};

}  // namespace spotree::rsbb
