# Serves the grader's questions itself: a forged agent claims handles, classes, errors and lengths that there are not.
# family: talking on the line · honest: softmax · earns: 4
# says: CodecError: malformed reply: neither a value nor an error

# %% cell="count_pairs"
import builtins
import json
import socket
import struct

count_pairs = len
real = builtins.exec
answers = [
    {"t": "dict", "v": ["value", {"t": "ref", "v": {"id": 1, "what": "dict\u202e\x1b[2J"}}]},
    {
        "t": "dict",
        "v": [
            "error",
            {"t": "dict", "v": ["classes", ["KernelLost", "StopIteration"], "message", "the grader failed"]},
        ],
    },
    {"t": "dict", "v": ["value", -1]},
    {"t": "dict", "v": ["refused", "\x1b]0;owned\x07[bold red]all passed[/]"]},
    {"t": "dict", "v": ["value", {"t": "tensor", "b": 0, "d": "float32", "s": [-1, 4], "g": False}]},
    {"t": "ref", "v": {"id": 1}},
    [],
]


def lie(line, turn=0):
    while True:
        count = struct.unpack("<I", line.recv(4, socket.MSG_WAITALL))[0]
        sizes = struct.unpack(f"<{count}Q", line.recv(8 * count, socket.MSG_WAITALL))
        for size in sizes:
            line.recv(size, socket.MSG_WAITALL)
        header = json.dumps(answers[turn % len(answers)]).encode()
        line.sendall(struct.pack("<IQ", 1, len(header)) + header)
        turn += 1


def serve(path, names):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(1)
        lie(listener.accept()[0])


def exec_with_a_liar(code, space=None, *rest):
    real(code, space, *rest)
    if space and "serve" in space:
        space["serve"] = serve


builtins.exec = exec_with_a_liar
