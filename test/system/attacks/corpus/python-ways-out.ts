import { attacks } from "../attack.ts";

const jsOn = { on: "pyodide in node", harm: "secret" } as const;

export const pythonWaysOut = attacks(
  "Python: ways out",
  { on: "python3", language: "python" },
  {
    open: { harm: "secret", source: `open(input["secretFile"]).read()` },
    "os.environ": { harm: "secret", source: `import os\nos.environ[input["variable"]]` },
    "a file in another folder": { harm: "write", source: `open(input["writeFile"], "w").write("x")` },
    "the frames of those who called": {
      harm: "secret",
      source: `
import sys
frame, seen = sys._getframe(), []
while frame is not None:
    seen.append(repr(frame.f_globals) + repr(frame.f_locals))
    frame = frame.f_back
"".join(seen)[:500000]`,
    },
    "all subclasses of object": {
      harm: "secret",
      source: `
found = [each for each in ().__class__.__base__.__subclasses__() if each.__name__ == "FileLoader"][0]
found("x", input["secretFile"]).get_data(input["secretFile"]).decode()`,
    },
    "the builtins of any function": {
      harm: "secret",
      source: `
import json
json.loads.__globals__["__builtins__"]["open"](input["secretFile"]).read()`,
    },
    "eval without builtins": {
      harm: "secret",
      source: `
eval("[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0].__init__.__globals__['environ'][name]", {"__builtins__": {}, "name": input["variable"]})`,
    },
    ctypes: {
      harm: "secret",
      source: `
import ctypes
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
libc.getenv(input["variable"].encode()).decode()`,
    },
    "system of libc": {
      harm: "write",
      source: `
import ctypes
ctypes.CDLL(None).system(("echo x > " + input["writeFile"]).encode())`,
    },
    "os.system": { harm: "write", source: `import os\nos.system("echo x > " + input["writeFile"])` },
    subprocess: {
      harm: "secret",
      source: `import subprocess\nsubprocess.run(["/bin/cat", input["secretFile"]], capture_output=True, text=True).stdout`,
    },
    "a process that outlives it": {
      harm: "write",
      source: `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(0.4)
        open(input["writeFile"], "w").write("x")
    os._exit(0)
1`,
    },
    "a TCP socket": {
      harm: "network",
      source: `
import socket
with socket.create_connection(("127.0.0.1", input["tcpPort"]), timeout=2) as one:
    one.sendall(input["mark"].encode())
1`,
    },
    "a UDP datagram": {
      harm: "network",
      source: `
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(input["mark"].encode(), ("127.0.0.1", input["udpPort"]))`,
    },
    urllib: {
      harm: "network",
      source: `import urllib.request\nurllib.request.urlopen(input["http"], timeout=2).read().decode()`,
    },
    "the variables of the host in /proc": {
      harm: "secret",
      source: `open(f"/proc/{input['hostPid']}/environ").read()`,
    },
    "the root of another process in /proc": {
      harm: "secret",
      source: `
import glob
def read(path):
    try:
        return open(path).read()
    except OSError:
        return ""
"".join(read(root + input["secretFile"]) for root in glob.glob("/proc/[0-9]*/root"))[:100000]`,
    },
    "a link out of its folder": {
      harm: "secret",
      source: `
import os
os.symlink(input["secretFile"], "link-" + input["mark"])
open("link-" + input["mark"]).read()`,
    },
    "a link among the files that it leaves": {
      harm: "secret",
      source: `import os\nos.symlink(input["secretFile"], "report.txt")\n1`,
    },
    "a pipe among the files that it leaves": {
      harm: "hang",
      source: `import os\nos.mkfifo("report.txt")\n1`,
    },
    "a hard link to the secret": {
      harm: "write",
      source: `import os\nos.link(input["secretFile"], input["writeFile"])`,
    },
    "a signal to another process": {
      harm: "signal",
      source: `import os, signal\nos.kill(input["signalPid"], signal.SIGUSR2)`,
    },
    "a signal that ends the host": {
      harm: "death",
      source: `import os\nos.kill(input["hostPid"], 9)`,
    },
    "a pickle": {
      harm: "write",
      source: `
import os, pickle
class Bomb:
    def __reduce__(self):
        return (os.system, ("echo x > " + input["writeFile"],))
pickle.loads(pickle.dumps(Bomb()))`,
    },
    "a hook of imports": {
      harm: "secret",
      source: `
import importlib.machinery, importlib.util, sys
class Hook:
    def find_spec(self, name, path, target=None):
        if name == "stolen":
            return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        module.text = open(input["secretFile"]).read()
sys.meta_path.insert(0, Hook())
import stolen
stolen.text`,
    },
    "another root": {
      harm: "secret",
      source: `
import os
here = os.open("/", os.O_RDONLY)
try:
    os.chroot(".")
    os.fchdir(here)
    for _ in range(20):
        os.chdir("..")
    os.chroot(".")
except OSError:
    pass
open(input["secretFile"]).read()`,
    },
    "js, and the process behind it": {
      ...jsOn,
      source: `
import js
getattr(js.process.env, input["variable"])`,
    },
    run_js: {
      ...jsOn,
      source: `
from pyodide.code import run_js
run_js("(path) => (globalThis.process?.getBuiltinModule?.('fs') ?? Deno).readFileSync(path, 'utf8')")(input["secretFile"])`,
    },
    "pyodide_js mounts a folder of the host": {
      ...jsOn,
      source: `
import os, pyodide_js
pyodide_js.mountNodeFS("/stolen", os.path.dirname(input["secretFile"]))
open("/stolen/secret.json").read()`,
    },
    "the constructor of a JavaScript function": {
      ...jsOn,
      source: `
import pyodide_js
getattr(pyodide_js.runPython.constructor("return globalThis.process ?? { env: Deno.env.toObject() }")().env, input["variable"])`,
    },
    "Deno, from inside of Pyodide": {
      ...jsOn,
      source: `
from pyodide.code import run_js
run_js("(globalThis.Deno?.readTextFileSync ?? ((path) => process.getBuiltinModule('fs').readFileSync(path, 'utf8')))")(input["secretFile"])`,
    },
    "fetch, from inside of Pyodide": {
      on: "pyodide in node",
      harm: "network",
      source: `
import js
await (await js.fetch(input["http"])).text()`,
    },
  },
);
