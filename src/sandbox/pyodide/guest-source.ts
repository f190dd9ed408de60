import { guestPrelude } from "../deno/guest-source.ts";

export interface PyodideGuest {
  readonly pyodide: string;
  readonly folder: string;
  /** Memory of a fresh interpreter. Without it, the guest creates one. */
  readonly snapshot: string | undefined;
}

export const snapshotName = "haft-snapshot";

const runner = String.raw`
import json, os, sys, traceback
import pyodide.code
async def haft_run(source, given):
    if "random" in sys.modules:
        sys.modules["random"].seed()
    space = {"__name__": "__main__", "__builtins__": __builtins__, "input": json.loads(given)}
    try:
        value = await pyodide.code.eval_code_async(source, space, filename="program.py")
        return "value", json.dumps(value, allow_nan=False)
    except MemoryError:
        return "memory", "null"
    except BaseException as error:
        info = {"name": type(error).__name__, "message": str(error)}
        own = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == "program.py"]
        if isinstance(error, SyntaxError) and error.filename == "program.py":
            info.update(message=error.msg, line=error.lineno, column=error.offset)
        elif own:
            info.update(line=own[-1].lineno, column=(own[-1].colno or 0) + 1)
            lines = [f"  line {each.lineno}, in {each.name}" for each in own[-20:]]
            info["stack"] = "\n".join([*lines, f"{info['name']}: {info['message']}"])
        return "error", json.dumps(info)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
`;

/**
 * Deno can read only the package and the program's folder, so the Python module `js` gives no further access.
 */
export const pyodideGuestSource = ({ pyodide, folder, snapshot }: PyodideGuest): string => `${guestPrelude}
const [pyodide, folder, snapshot, snapshotName, runner] = ${JSON.stringify([pyodide, folder, snapshot ?? null, snapshotName, runner])};
const { loadPyodide } = await import(new URL("file://" + encodeURI(pyodide) + "/pyodide.mjs"));
const python = await loadPyodide({
  indexURL: pyodide + "/",
  env: { HOME: "/home", LANG: "C.UTF-8", PYTHONSAFEPATH: "1" },
  ...(snapshot === null ? { _makeSnapshot: true } : { _loadSnapshot: Deno.readFileSync(snapshot) }),
});
if (snapshot === null) {
  try {
    python.runPython("import json, os, sys, traceback, pyodide.code");
    Deno.writeFileSync(folder + "/" + snapshotName, python.makeMemorySnapshot());
  } catch {}
}
python.runPython(runner);
const run = python.globals.get("haft_run");
python.globals.delete("haft_run");
python.mountNodeFS("/folder", folder);
python.runPython("os.chdir('/folder')");

frame("ready", "null");
const order = parse(readLine(true));
python.setStdin({ error: true });
python.setStdout({ batched: (line) => logAs("log", line, order) });
python.setStderr({ batched: (line) => logAs("error", line, order) });
// A promise that the program forgot must not end its process.
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  logAs("error", "A promise was rejected: " + text(event.reason), order);
});
try {
  const answer = await run(order.source, stringify(order.input));
  const [kind, payload] = [answer.get(0), answer.get(1)];
  if (kind === "value") giveJson(payload, order);
  else conclude(kind, payload);
} catch (thrown) {
  conclude("error", stringify({ name: "Error", message: text(thrown) }));
}
`;
