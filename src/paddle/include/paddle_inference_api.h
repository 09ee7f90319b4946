/* The C++ inference API, header only: paddle_infer::Config, CreatePredictor, Predictor, Tensor over the functions of
 * pd_inference_api.h. Link with -ldygraph or -lpaddle_inference_c. What fails throws std::runtime_error with the reason. */
#ifndef PADDLE_INFERENCE_API_H
#define PADDLE_INFERENCE_API_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pd_inference_api.h"

namespace paddle_infer {

enum class DataType { FLOAT32, INT64, INT32, UINT8, INT8, FLOAT16, BOOL, FLOAT64 };
enum class PlaceType { kUNK = -1, kCPU, kGPU, kXPU, kNPU, kIPU, kCUSTOM };
enum class PrecisionType { kFloat32 = 0, kInt8, kHalf, kBf16 };

namespace internal {

inline void Check(bool done) {
    if (!done) throw std::runtime_error(PD_GetLastError());
}

/* The library's name of an element type. */
template <typename T> struct TypeName;
template <> struct TypeName<float> { static const char *Get() { return "float32"; } };
template <> struct TypeName<double> { static const char *Get() { return "float64"; } };
template <> struct TypeName<int64_t> { static const char *Get() { return "int64"; } };
template <> struct TypeName<int32_t> { static const char *Get() { return "int32"; } };
template <> struct TypeName<uint8_t> { static const char *Get() { return "uint8"; } };
template <> struct TypeName<int8_t> { static const char *Get() { return "int8"; } };
template <> struct TypeName<bool> { static const char *Get() { return "bool"; } };

inline float *Mutable(PD_Tensor *t, float *) { return PD_TensorMutableDataFloat(t, PD_PLACE_CPU); }
inline int64_t *Mutable(PD_Tensor *t, int64_t *) { return PD_TensorMutableDataInt64(t, PD_PLACE_CPU); }
inline int32_t *Mutable(PD_Tensor *t, int32_t *) { return PD_TensorMutableDataInt32(t, PD_PLACE_CPU); }
inline uint8_t *Mutable(PD_Tensor *t, uint8_t *) { return PD_TensorMutableDataUint8(t, PD_PLACE_CPU); }
inline int8_t *Mutable(PD_Tensor *t, int8_t *) { return PD_TensorMutableDataInt8(t, PD_PLACE_CPU); }
inline float *Data(PD_Tensor *t, int32_t *size, float *) { return PD_TensorDataFloat(t, nullptr, size); }
inline int64_t *Data(PD_Tensor *t, int32_t *size, int64_t *) { return PD_TensorDataInt64(t, nullptr, size); }
inline int32_t *Data(PD_Tensor *t, int32_t *size, int32_t *) { return PD_TensorDataInt32(t, nullptr, size); }
inline uint8_t *Data(PD_Tensor *t, int32_t *size, uint8_t *) { return PD_TensorDataUint8(t, nullptr, size); }
inline int8_t *Data(PD_Tensor *t, int32_t *size, int8_t *) { return PD_TensorDataInt8(t, nullptr, size); }

inline std::vector<std::string> TakeNames(PD_OneDimArrayCstr *names) {
    Check(names != nullptr);
    std::vector<std::string> result(names->data, names->data + names->size);
    PD_OneDimArrayCstrDestroy(names);
    return result;
}

}  // namespace internal

/* An input or output of a predictor, which it must not outlive. */
class Tensor {
  public:
    explicit Tensor(PD_Tensor *handle) : handle_(handle, PD_TensorDestroy) {}

    void Reshape(const std::vector<int> &shape) {
        std::vector<int32_t> sizes(shape.begin(), shape.end());
        PD_TensorReshape(handle_.get(), sizes.size(), sizes.data());
    }
    void ReshapeStrings(std::size_t) { throw std::runtime_error("tensors of strings are not supported"); }

    template <typename T> void CopyFromCpu(const T *data) {
        internal::Check(PD_TensorCopyFromCpuNamed(handle_.get(), internal::TypeName<T>::Get(), data));
    }
    template <typename T> void CopyToCpu(T *data) const {
        internal::Check(PD_TensorCopyToCpuNamed(handle_.get(), internal::TypeName<T>::Get(), data));
    }
    template <typename T> T *mutable_data(PlaceType) {
        T *data = internal::Mutable(handle_.get(), static_cast<T *>(nullptr));
        internal::Check(data != nullptr);
        return data;
    }
    template <typename T> T *data(PlaceType *place, int *size) const {
        int32_t count = 0;
        T *data = internal::Data(handle_.get(), &count, static_cast<T *>(nullptr));
        internal::Check(data != nullptr);
        if (place) *place = PlaceType::kCPU;
        if (size) *size = count;
        return data;
    }

    std::vector<int> shape() const {
        PD_OneDimArrayInt32 *shape = PD_TensorGetShape(handle_.get());
        internal::Check(shape != nullptr);
        std::vector<int> result(shape->data, shape->data + shape->size);
        PD_OneDimArrayInt32Destroy(shape);
        return result;
    }
    std::string name() const { return PD_TensorGetName(handle_.get()); }
    PlaceType place() const { return PlaceType::kCPU; }
    DataType type() const {
        static const std::map<std::string, DataType> types = {
            {"float32", DataType::FLOAT32}, {"int64", DataType::INT64}, {"int32", DataType::INT32}, {"uint8", DataType::UINT8},
            {"int8", DataType::INT8}, {"float16", DataType::FLOAT16}, {"bool", DataType::BOOL}, {"float64", DataType::FLOAT64}};
        auto found = types.find(PD_TensorGetTypeName(handle_.get()));
        if (found == types.end()) throw std::runtime_error("the tensor's element type has no name in this API");
        return found->second;
    }

    void SetLoD(const std::vector<std::vector<std::size_t>> &lod) {
        std::vector<PD_OneDimArraySize> levels;
        std::vector<PD_OneDimArraySize *> pointers;
        for (const auto &level : lod) levels.push_back({level.size(), const_cast<std::size_t *>(level.data())});
        for (auto &level : levels) pointers.push_back(&level);
        PD_TwoDimArraySize all = {pointers.size(), pointers.data()};
        PD_TensorSetLod(handle_.get(), &all);
    }
    std::vector<std::vector<std::size_t>> lod() const {
        std::vector<std::vector<std::size_t>> result;
        PD_TwoDimArraySize *all = PD_TensorGetLod(handle_.get());
        internal::Check(all != nullptr);
        for (std::size_t i = 0; i < all->size; i++) result.emplace_back(all->data[i]->data, all->data[i]->data + all->data[i]->size);
        PD_TwoDimArraySizeDestroy(all);
        return result;
    }

  private:
    std::unique_ptr<PD_Tensor, void (*)(PD_Tensor *)> handle_;
};

/* Settings are kept as what is to be done to a PD_Config, so that a Config can be copied and used again. */
class Config {
  public:
    Config() = default;
    explicit Config(const std::string &model_dir) { SetModel(model_dir); }
    Config(const std::string &prog_file, const std::string &params_file) { SetModel(prog_file, params_file); }

    void SetModel(const std::string &model_dir) {
        model_dir_ = model_dir;
        Add([model_dir](PD_Config *c) { PD_ConfigSetModelDir(c, model_dir.c_str()); });
    }
    void SetModel(const std::string &prog_file, const std::string &params_file) {
        SetProgFile(prog_file);
        SetParamsFile(params_file);
    }
    void SetProgFile(const std::string &path) {
        prog_file_ = path;
        Add([path](PD_Config *c) { PD_ConfigSetProgFile(c, path.c_str()); });
    }
    void SetParamsFile(const std::string &path) {
        params_file_ = path;
        Add([path](PD_Config *c) { PD_ConfigSetParamsFile(c, path.c_str()); });
    }
    void SetModelBuffer(const char *prog, std::size_t prog_size, const char *params, std::size_t params_size) {
        std::string program(prog, prog_size), parameters(params, params_size);
        from_memory_ = true;
        Add([program, parameters](PD_Config *c) {
            PD_ConfigSetModelBuffer(c, program.data(), program.size(), parameters.data(), parameters.size());
        });
    }
    const std::string &model_dir() const { return model_dir_; }
    const std::string &prog_file() const { return prog_file_; }
    const std::string &params_file() const { return params_file_; }
    bool model_from_memory() const { return from_memory_; }

    void SetCpuMathLibraryNumThreads(int threads) {
        threads_ = threads;
        Add([threads](PD_Config *c) { PD_ConfigSetCpuMathLibraryNumThreads(c, threads); });
    }
    int cpu_math_library_num_threads() const { return threads_; }
    void SwitchIrOptim(int x = true) {
        ir_optim_ = x != 0;
        Add([x](PD_Config *c) { PD_ConfigSwitchIrOptim(c, x ? TRUE : FALSE); });
    }
    bool ir_optim() const { return ir_optim_; }
    void EnableMemoryOptim(bool x = true) { Add([x](PD_Config *c) { PD_ConfigEnableMemoryOptim(c, x ? TRUE : FALSE); }); }
    void DeletePass(const std::string &pass) { Add([pass](PD_Config *c) { PD_ConfigDeletePass(c, pass.c_str()); }); }
    void EnableProfile() { Add([](PD_Config *c) { PD_ConfigEnableProfile(c); }); }
    void DisableGlogInfo() { Add([](PD_Config *c) { PD_ConfigDisableGlogInfo(c); }); }
    void SwitchIrDebug(int x = true) { Add([x](PD_Config *c) { PD_ConfigSwitchIrDebug(c, x ? TRUE : FALSE); }); }

    /* The handles of this API are the only way in and out, whatever these say. */
    void SwitchUseFeedFetchOps(int = true) {}
    void SwitchSpecifyInputNames(bool = true) {}

    /* Remembered; the kernels have one way of computing. */
    void EnableMKLDNN() { mkldnn_ = true; }
    bool mkldnn_enabled() const { return mkldnn_; }
    void SetMkldnnCacheCapacity(int) {}

    /* What this library doesn't have: said on stderr when the predictor is made. */
    void EnableUseGpu(uint64_t memory, int device = 0, PrecisionType = PrecisionType::kFloat32) {
        Add([memory, device](PD_Config *c) { PD_ConfigEnableUseGpu(c, memory, device, PD_PRECISION_FLOAT32); });
    }
    void DisableGpu() {}
    bool use_gpu() const { return false; }
    void EnableTensorRtEngine(int64_t workspace = 1 << 30, int batch = 1, int subgraph = 3, PrecisionType = PrecisionType::kFloat32,
                              bool use_static = false, bool calibrate = true) {
        Add([=](PD_Config *c) { PD_ConfigEnableTensorRtEngine(c, workspace, batch, subgraph, PD_PRECISION_FLOAT32, use_static, calibrate); });
    }
    bool tensorrt_engine_enabled() const { return false; }

    std::string Summary() const {
        PD_Config *config = Make();
        PD_Cstr *text = PD_ConfigSummary(config);
        PD_ConfigDestroy(config);
        internal::Check(text != nullptr);
        std::string result = text->data;
        PD_CstrDestroy(text);
        return result;
    }

    PD_Config *Make() const {
        PD_Config *config = PD_ConfigCreate();
        internal::Check(config != nullptr);
        for (const auto &action : actions_) action(config);
        return config;
    }

  private:
    void Add(std::function<void(PD_Config *)> action) { actions_.push_back(std::move(action)); }

    std::vector<std::function<void(PD_Config *)>> actions_;
    std::string model_dir_, prog_file_, params_file_;
    bool from_memory_ = false, ir_optim_ = true, mkldnn_ = false;
    int threads_ = 1;
};

/* One thread at a time; Clone() shares the parameters with a predictor for another thread. */
class Predictor {
  public:
    explicit Predictor(const Config &config) : Predictor(PD_PredictorCreate(config.Make())) {}

    std::vector<std::string> GetInputNames() { return internal::TakeNames(PD_PredictorGetInputNames(predictor_.get())); }
    std::vector<std::string> GetOutputNames() { return internal::TakeNames(PD_PredictorGetOutputNames(predictor_.get())); }
    std::unique_ptr<Tensor> GetInputHandle(const std::string &name) {
        return TakeHandle(PD_PredictorGetInputHandle(predictor_.get(), name.c_str()));
    }
    std::unique_ptr<Tensor> GetOutputHandle(const std::string &name) {
        return TakeHandle(PD_PredictorGetOutputHandle(predictor_.get(), name.c_str()));
    }
    std::map<std::string, std::vector<int64_t>> GetInputTensorShape() {
        std::map<std::string, std::vector<int64_t>> shapes;
        PD_IOInfos *infos = PD_PredictorGetInputInfos(predictor_.get());
        internal::Check(infos != nullptr);
        for (std::size_t i = 0; i < infos->size; i++) {
            const PD_OneDimArrayInt64 *shape = infos->io_info[i]->shape;
            shapes[infos->io_info[i]->name->data] = std::vector<int64_t>(shape->data, shape->data + shape->size);
        }
        PD_IOInfosDestroy(infos);
        return shapes;
    }
    bool Run() {
        internal::Check(PD_PredictorRun(predictor_.get()));
        return true;
    }
    std::unique_ptr<Predictor> Clone(void * = nullptr) {
        return std::unique_ptr<Predictor>(new Predictor(PD_PredictorClone(predictor_.get())));
    }
    void ClearIntermediateTensor() { PD_PredictorClearIntermediateTensor(predictor_.get()); }
    uint64_t TryShrinkMemory() { return PD_PredictorTryShrinkMemory(predictor_.get()); }

  private:
    explicit Predictor(PD_Predictor *predictor) : predictor_(predictor, PD_PredictorDestroy) { internal::Check(predictor != nullptr); }

    static std::unique_ptr<Tensor> TakeHandle(PD_Tensor *handle) {
        internal::Check(handle != nullptr);
        return std::unique_ptr<Tensor>(new Tensor(handle));
    }

    std::unique_ptr<PD_Predictor, void (*)(PD_Predictor *)> predictor_;
};

inline std::shared_ptr<Predictor> CreatePredictor(const Config &config) { return std::make_shared<Predictor>(config); }
inline std::string GetVersion() { return PD_GetVersion(); }
inline int GetNumBytesOfDataType(DataType type) {
    switch (type) {
    case DataType::INT64:
    case DataType::FLOAT64: return 8;
    case DataType::FLOAT32:
    case DataType::INT32: return 4;
    case DataType::FLOAT16: return 2;
    default: return 1;
    }
}

namespace services {

/* A predictor and its clones, by number. */
class PredictorPool {
  public:
    explicit PredictorPool(const Config &config, std::size_t size = 1) {
        if (size < 1) throw std::runtime_error("a pool needs at least one predictor");
        all_.emplace_back(new Predictor(config));
        while (all_.size() < size) all_.push_back(all_[0]->Clone());
    }
    Predictor *Retrieve(std::size_t index) { return all_.at(index).get(); }
    Predictor *Retrive(std::size_t index) { return Retrieve(index); }

  private:
    std::vector<std::unique_ptr<Predictor>> all_;
};

}  // namespace services
}  // namespace paddle_infer

#endif
