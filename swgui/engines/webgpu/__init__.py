"""The ``webgpu`` engine: exact scores on GPUs of any maker, through Vulkan, Metal or D3D12."""
