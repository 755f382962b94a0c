// SIMD on doubles: four at a time, and buffers that suit them.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace spotree::exact {

constexpr int kLanes = 4;
typedef double Simd256 __attribute__((vector_size(32)));

inline Simd256 load(const double* p) {
    Simd256 x;
    std::memcpy(&x, p, sizeof x);
    return x;
}

inline void store(double* p, Simd256 x) { std::memcpy(p, &x, sizeof x); }

inline Simd256 all_of(double x) { return Simd256{x, x, x, x}; }

#ifdef __AVX__
inline Simd256 smaller(Simd256 a, Simd256 b) { return (Simd256)_mm256_min_pd((__m256d)a, (__m256d)b); }

// The least lane of each of four vectors, as one vector.
inline Simd256 least_lanes(Simd256 a, Simd256 b, Simd256 c, Simd256 d) {
    const Simd256 ab = smaller((Simd256)_mm256_unpacklo_pd((__m256d)a, (__m256d)b),
                               (Simd256)_mm256_unpackhi_pd((__m256d)a, (__m256d)b));
    const Simd256 cd = smaller((Simd256)_mm256_unpacklo_pd((__m256d)c, (__m256d)d),
                               (Simd256)_mm256_unpackhi_pd((__m256d)c, (__m256d)d));
    return smaller((Simd256)_mm256_permute2f128_pd((__m256d)ab, (__m256d)cd, 0x20),
                   (Simd256)_mm256_permute2f128_pd((__m256d)ab, (__m256d)cd, 0x31));
}
#else
inline Simd256 smaller(const Simd256& a, const Simd256& b) {
    Simd256 x;
    for (int k = 0; k < kLanes; ++k) x[k] = a[k] < b[k] ? a[k] : b[k];
    return x;
}

inline double least_of(const Simd256& a) {
    const double x = a[0] < a[1] ? a[0] : a[1], y = a[2] < a[3] ? a[2] : a[3];
    return x < y ? x : y;
}

inline Simd256 least_lanes(const Simd256& a, const Simd256& b, const Simd256& c, const Simd256& d) {
    return Simd256{least_of(a), least_of(b), least_of(c), least_of(d)};
}
#endif

inline double least_lane(Simd256 a) {
    const double x = a[0] < a[1] ? a[0] : a[1], y = a[2] < a[3] ? a[2] : a[3];
    return x < y ? x : y;
}

// The least of `count` numbers, a multiple of four.
inline double least(const double* p, int count) {
    Simd256 x = load(p);
    for (int k = kLanes; k < count; k += kLanes) x = smaller(x, load(p + k));
    return least_lane(x);
}

inline void add_to(double* to, const double* from, int count) {
    for (int k = 0; k < count; k += kLanes) store(to + k, load(to + k) + load(from + k));
}

inline void subtract(double* to, const double* a, const double* b, int count) {
    for (int k = 0; k < count; k += kLanes) store(to + k, load(a + k) - load(b + k));
}

// Call `work` with the number of blocks of four lanes as a template argument, 0 if it is large.
template <class Work>
inline auto by_blocks(int32_t stride, Work&& work) {
    switch (stride / kLanes) {
        case 1:
            return work.template operator()<1>();
        case 2:
            return work.template operator()<2>();
        case 3:
            return work.template operator()<3>();
        case 4:
            return work.template operator()<4>();
        default:
            return work.template operator()<0>();
    }
}

// Memory on cache lines; growing leaves new elements unset.
template <class T>
struct LineAllocator {
    using value_type = T;
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
    void deallocate(T* p, size_t) { ::operator delete(p, std::align_val_t{64}); }
    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(static_cast<Args&&>(args)...);
    }
    bool operator==(const LineAllocator&) const { return true; }
};

template <class T>
using Buffer = std::vector<T, LineAllocator<T>>;

}  // namespace spotree::exact
