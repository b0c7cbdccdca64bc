# Leaves artifacts whose headers claim terabytes, negative sizes and types that are none.
# family: artifacts · honest: softmax, count_pairs · earns: 7
# says: is not a safetensors file|cannot be read

# %%
import struct

header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }".ljust(117) + b"\n"
(run.out / "weights.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + header + bytes(16))
(run.out / "tensors.safetensors").write_bytes(struct.pack("<Q", 2**62) + b"{}")
content = bytearray((run.out / "weights.parquet").read_bytes())
content[-8:-4] = struct.pack("<I", 2**32 - 1)
(run.out / "weights.parquet").write_bytes(content)
