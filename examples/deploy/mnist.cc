// The same as mnist.c with the C++ API.
#include <paddle_inference_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

template <typename T> std::vector<T> ReadAll(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " can't be read");
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const T *first = reinterpret_cast<const T *>(bytes.data());
    return std::vector<T>(first, first + bytes.size() / sizeof(T));
}

int main(int argc, char **argv) try {
    const std::string folder = argc > 1 ? argv[1] : ".";
    const auto images = ReadAll<float>(folder + "/images.bin"), expected = ReadAll<float>(folder + "/scores.bin");
    const auto labels = ReadAll<int64_t>(folder + "/labels.bin");

    paddle_infer::Config config(folder + "/lenet.pdmodel", folder + "/lenet.pdiparams");
    auto predictor = paddle_infer::CreatePredictor(config);
    auto input = predictor->GetInputHandle(predictor->GetInputNames()[0]);
    auto output = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);

    const int count = static_cast<int>(labels.size());
    int right = 0;
    float largest = 0, difference = 0;
    for (int begin = 0; begin < count; begin += 100) {
        const int n = std::min(100, count - begin);
        input->Reshape({n, 1, 28, 28});
        input->CopyFromCpu(images.data() + begin * 28 * 28);
        predictor->Run();
        std::vector<float> scores(n * 10);
        output->CopyToCpu(scores.data());
        for (int i = 0; i < n; i++) {
            auto row = scores.begin() + i * 10;
            right += std::max_element(row, row + 10) - row == labels[begin + i];
        }
        for (int k = 0; k < n * 10; k++) {
            largest = std::max(largest, std::fabs(expected[begin * 10 + k]));
            difference = std::max(difference, std::fabs(scores[k] - expected[begin * 10 + k]));
        }
    }
    std::printf("accuracy %.4f, largest difference from Python %.1e of %.1f\n", static_cast<double>(right) / count,
                static_cast<double>(difference), static_cast<double>(largest));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
