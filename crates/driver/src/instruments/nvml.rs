//! The eight calls into the NVIDIA management library that the `gpu` instrument needs.
//!
//! The library comes with the driver and is looked for when it is asked for, so that one program runs on machines with
//! and without GPUs. The usual wrapper knows all of its 300 calls and cost more build time than the whole driver crate.
#![allow(
    unsafe_code,
    reason = "calls into a C library, each by its signature in nvml.h"
)]

use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

/// The name of the library on every Linux.
const LIBRARY: &str = "libnvidia-ml.so.1";
/// Room for the name of a GPU (`NVML_DEVICE_NAME_V2_BUFFER_SIZE`).
const NAME: usize = 96;

/// A number that says how a call went; 0 is well.
type NvmlCode = c_int;
/// A GPU, as the library names it.
type Handle = *mut c_void;

/// `nvmlUtilization_t`: percent of time.
#[repr(C)]
#[derive(Default)]
struct Utilization {
    gpu: c_uint,
    memory: c_uint,
}

/// `nvmlMemory_v2_t`: bytes.
#[repr(C)]
#[derive(Default)]
struct Memory {
    version: c_uint,
    total: c_ulonglong,
    reserved: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

impl Memory {
    /// `NVML_STRUCT_VERSION(Memory, 2)`.
    const VERSION: c_uint = size_of::<Self>() as c_uint | (2 << 24);
}

/// The library, ready to be asked.
#[derive(Debug)]
pub(super) struct Nvml {
    library: Library,
}

/// One GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gpu<'a> {
    nvml: &'a Nvml,
    handle: Handle,
}

impl Nvml {
    /// Loads the library and opens it.
    pub(super) fn open() -> Result<Self, String> {
        // SAFETY: the driver's own library; its initialisers only prepare its own state.
        let library = unsafe { Library::new(LIBRARY) }
            .map_err(|error| format!("{LIBRARY} cannot be loaded: {error}"))?;
        let nvml = Self { library };
        // SAFETY: `nvmlReturn_t nvmlInit_v2(void)`.
        nvml.call(
            "nvmlInit_v2",
            |init: unsafe extern "C" fn() -> NvmlCode| unsafe { init() },
        )?;
        Ok(nvml)
    }

    /// How many GPUs there are.
    pub(super) fn count(&self) -> Result<u32, String> {
        let mut count = 0;
        // SAFETY: `nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *)`.
        self.call(
            "nvmlDeviceGetCount_v2",
            |get: unsafe extern "C" fn(*mut c_uint) -> NvmlCode| unsafe { get(&raw mut count) },
        )?;
        Ok(count)
    }

    /// One of them, by its number.
    pub(super) fn gpu(&self, number: u32) -> Result<Gpu<'_>, String> {
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: `nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int, nvmlDevice_t *)`.
        self.call(
            "nvmlDeviceGetHandleByIndex_v2",
            |get: unsafe extern "C" fn(c_uint, *mut Handle) -> NvmlCode| unsafe {
                get(number, &raw mut handle)
            },
        )?;
        Ok(Gpu { nvml: self, handle })
    }

    /// Calls a function of the library; `how` gets it with the signature that the caller vouches for.
    fn call<F: Copy>(&self, name: &str, how: impl FnOnce(F) -> NvmlCode) -> Result<(), String> {
        // SAFETY: the caller gives the signature of `nvml.h`; the library lives as long as `self`.
        let function = unsafe { self.library.get::<F>(name.as_bytes()) };
        let function = function.map_err(|error| error.to_string())?;
        match how(*function) {
            0 => Ok(()),
            code => Err(format!("{name}: {}", self.words(code))),
        }
    }

    /// What a code means.
    fn words(&self, code: NvmlCode) -> String {
        type Words = unsafe extern "C" fn(NvmlCode) -> *const c_char;
        // SAFETY: `const char *nvmlErrorString(nvmlReturn_t)`.
        let function = unsafe { self.library.get::<Words>(b"nvmlErrorString") };
        // SAFETY: the same; what it gives is text that stays for ever.
        let text = function.map_or(std::ptr::null(), |words| unsafe { words(code) });
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: not null, and ends with a zero.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: `nvmlReturn_t nvmlShutdown(void)`, which answers with an error where nothing was opened.
        let _ = self.call(
            "nvmlShutdown",
            |shutdown: unsafe extern "C" fn() -> NvmlCode| unsafe { shutdown() },
        );
    }
}

impl Gpu<'_> {
    /// Its name.
    pub(super) fn name(&self) -> Result<String, String> {
        let mut text = [0_u8; NAME];
        // SAFETY: `nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t, char *, unsigned int length)`.
        self.nvml.call(
            "nvmlDeviceGetName",
            |get: unsafe extern "C" fn(Handle, *mut c_char, c_uint) -> NvmlCode| unsafe {
                get(self.handle, text.as_mut_ptr().cast(), NAME as c_uint)
            },
        )?;
        let text = CStr::from_bytes_until_nul(&text).map_err(|error| error.to_string())?;
        Ok(text.to_string_lossy().into_owned())
    }

    /// Percent of the time in which it computed.
    pub(super) fn utilization(&self) -> Result<u32, String> {
        let mut rates = Utilization::default();
        // SAFETY: `nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t *)`.
        self.nvml.call(
            "nvmlDeviceGetUtilizationRates",
            |get: unsafe extern "C" fn(Handle, *mut Utilization) -> NvmlCode| unsafe {
                get(self.handle, &raw mut rates)
            },
        )?;
        Ok(rates.gpu)
    }

    /// Bytes of its memory in use.
    pub(super) fn memory(&self) -> Result<u64, String> {
        let mut memory = Memory {
            version: Memory::VERSION,
            ..Memory::default()
        };
        // SAFETY: `nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t, nvmlMemory_v2_t *)`.
        self.nvml.call(
            "nvmlDeviceGetMemoryInfo_v2",
            |get: unsafe extern "C" fn(Handle, *mut Memory) -> NvmlCode| unsafe {
                get(self.handle, &raw mut memory)
            },
        )?;
        Ok(memory.used)
    }

    /// Thousandths of a watt that it draws.
    pub(super) fn milliwatts(&self) -> Result<u32, String> {
        let mut power = 0;
        // SAFETY: `nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned int *)`.
        self.nvml.call(
            "nvmlDeviceGetPowerUsage",
            |get: unsafe extern "C" fn(Handle, *mut c_uint) -> NvmlCode| unsafe {
                get(self.handle, &raw mut power)
            },
        )?;
        Ok(power)
    }
}

#[cfg(test)]
mod tests {
    use super::Nvml;

    #[test]
    fn a_machine_shows_its_gpus_or_says_why_not() {
        match Nvml::open() {
            // Without a driver the library is named, so that a person knows what is missing.
            Err(why) => assert!(
                why.contains("nvidia-ml") || why.contains("nvmlInit"),
                "{why}"
            ),
            Ok(nvml) => {
                for number in 0..nvml.count().unwrap() {
                    let gpu = nvml.gpu(number).unwrap();
                    assert!(!gpu.name().unwrap().is_empty());
                    assert!(gpu.utilization().unwrap() <= 100);
                    assert!(gpu.memory().unwrap() > 0);
                    assert!(gpu.milliwatts().unwrap() > 0);
                }
                let beyond = nvml.gpu(10_000).unwrap_err();
                assert!(beyond.contains("nvmlDeviceGetHandleByIndex"), "{beyond}");
            }
        }
    }
}
