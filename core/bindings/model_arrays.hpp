// The model as Python hands it over: its arrays stay alive with this and with every copy.
#pragma once

#include "arrays.hpp"
#include "model/model.hpp"

namespace spotree::bindings {

struct ModelArrays {
    In1<int64_t> choice_start;
    In2<int32_t> choice_of;
    In1<int64_t> row_start;
    In1<int32_t> target;
    In1<double> probability, reward, initial;
    double discount;

    Model model() const {
        return {static_cast<int32_t>(choice_of.shape(0)),
                static_cast<int32_t>(choice_of.shape(1)),
                discount,
                choice_start.data(),
                choice_of.data(),
                row_start.data(),
                target.data(),
                probability.data(),
                reward.data(),
                initial.data()};
    }
};

}  // namespace spotree::bindings
