// Memory for millions of regions that come and go: slots of few sizes from large blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace spotree::rsbb {

// Slots of one size; what was given back is taken first.
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

// Slots of any size, in classes of four words.
class Slots {
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

}  // namespace spotree::rsbb
