"""The ``webgpu`` engine: exact scores on graphics cards of any maker, through Vulkan, Metal or D3D12."""
