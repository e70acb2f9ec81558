// Command nvmlcheck compares the nvml receiver with nvidia-smi on a machine with NVIDIA GPUs:
// it runs the receiver for a while, asks nvidia-smi several times meanwhile, and prints every
// value of both side by side. It ends with status 1 where they disagree beyond noise, where a
// unit is wrong, and where the receiver lacks a metric of its default set that nvidia-smi
// shows. Without nvidia-smi or a GPU it says so and ends with status 0.
//
// It only reads. docs/nvml-hardware.md has how to run it and what was found where.
package main
