import { existsSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { packageProblem } from "../../base/platform/peer-packages.ts";
import { SandboxError } from "../../types/errors.ts";
import { checkProgram } from "../child/check-program.ts";
import { type GuestProcess, guestPool, openGuestProcess } from "../child/guest-process.ts";
import { runGuest } from "../child/run-guest.ts";
import { makeScratchFolder, removeScratchFolder } from "../child/scratch-folder.ts";
import { type DenoOptions, type DenoProgram, denoStart, findDeno } from "../deno/deno-start.ts";
import { guestPrelude } from "../deno/guest-source.ts";
import { defaultLimits, type Language, type Sandbox, type SandboxLimits } from "../sandbox.ts";

export interface PyodideOptions extends DenoOptions {
  /** Unless set: resolved by Node. */
  readonly pyodide?: string;
  /** Loads the next interpreter in advance. Unless set: true. */
  readonly keepReady?: boolean;
}

const languages: readonly Language[] = ["python"];

const heapMiB = 160;
/** For loading Python on a slow machine. */
const loadSeconds = 60;

/**
 * Pyodide in Deno without permissions, because Pyodide alone is not a security boundary. Each program has its
 * own interpreter. Loading takes seconds, so the first one saves a snapshot and the next is loaded in
 * advance.
 */
export const openEngine = (options: PyodideOptions = {}): Effect.Effect<Sandbox, SandboxError, Scope> =>
  Effect.gen(function* () {
    const pyodide = yield* findPyodide(options);
    const deno = yield* findDeno(options);
    const home = yield* Effect.acquireRelease(Effect.sync(makeScratchFolder), (folder) =>
      Effect.sync(() => removeScratchFolder(folder)),
    );
    const guests = yield* guestPool;
    const snapshot = join(home, snapshotName);
    const open = openPython(deno, pyodide, snapshot);
    let ready: GuestProcess | undefined;
    const prepare = Effect.gen(function* () {
      if (ready !== undefined || guests.isClosed()) return;
      ready = guests.add(yield* open(defaultLimits));
      ready.child.hold(false);
    });
    const take = (limits: SandboxLimits) =>
      Effect.gen(function* () {
        const guest = ready;
        if (guest === undefined || !canUsePreloaded(limits)) return yield* open(limits);
        ready = undefined;
        // It ended unexpectedly.
        if (guest.isOver()) return yield* Effect.andThen(guest.dispose, open(limits));
        guest.child.hold(true);
        return guest;
      });
    const keepReady = options.keepReady === false ? Effect.void : Effect.ignore(prepare);
    yield* keepReady;
    return {
      engine: "pyodide",
      languages,
      run: (program) =>
        Effect.gen(function* () {
          const checked = yield* checkProgram("pyodide", languages, program);
          if (checked.result !== undefined) return checked.result;
          const { limits } = checked;
          return yield* guests.use(take(limits), (guest) =>
            // Two simultaneous loads would slow each other down.
            Effect.ensuring(runGuest("pyodide", guest, checked), keepReady),
          );
        }),
      close: () => Effect.runPromise(guests.close),
    };
  });

interface PyodideGuest {
  readonly pyodide: string;
  readonly folder: string;
  /** Memory of a fresh interpreter. Without it, the guest creates one. */
  readonly snapshot: string | undefined;
}

const snapshotName = "haft-snapshot";

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
const pyodideGuestSource = ({ pyodide, folder, snapshot }: PyodideGuest): string => `${guestPrelude}
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

/** A preloaded interpreter has the default limits. */
const canUsePreloaded = ({ memoryBytes, fileBytes, cpuMs, resultBytes }: SandboxLimits): boolean =>
  memoryBytes <= defaultLimits.memoryBytes &&
  fileBytes <= defaultLimits.fileBytes &&
  cpuMs <= loadSeconds * 1000 &&
  resultBytes <= defaultLimits.resultBytes;

/** The snapshot is moved before the guest receives a program, so that no program can write it. */
const openPython = (deno: DenoProgram, pyodide: string, snapshot: string) => (limits: SandboxLimits) => {
  const isThere = existsSync(snapshot);
  return openGuestProcess(
    (folder) => {
      const source = pyodideGuestSource({ pyodide, folder, snapshot: isThere ? snapshot : undefined });
      const { memoryBytes } = limits;
      const cpuSeconds = Math.ceil(limits.cpuMs / 1000) + loadSeconds;
      const fileBytes = Math.max(limits.fileBytes, 64 * 1024 * 1024);
      const readable = [pyodide, ...(isThere ? [snapshot] : [])];
      return denoStart(deno, source, { folder, readable }, { memoryBytes, fileBytes, cpuSeconds, heapMiB });
    },
    limits.resultBytes,
    (folder) => {
      const made = join(folder, snapshotName);
      if (isThere || !existsSync(made)) return;
      try {
        renameSync(made, snapshot);
      } catch {
        // The next guest loads without a snapshot.
      }
    },
  );
};

const missingPyodideError = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false });

const findPyodide = ({ pyodide }: PyodideOptions): Effect.Effect<string, SandboxError> =>
  Effect.suspend(() => {
    const folder = pyodide ?? packagedPyodide();
    if (folder === undefined || !existsSync(join(folder, "pyodide.mjs")))
      return Effect.fail(
        missingPyodideError("Pyodide is not installed. Install it: npm install pyodide deno"),
      );
    const problem =
      pyodide === undefined ? packageProblem("pyodide", "The Pyodide sandbox needs") : undefined;
    return problem === undefined ? Effect.succeed(folder) : Effect.fail(missingPyodideError(problem));
  });

const packagedPyodide = (): string | undefined => {
  try {
    return dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
  } catch {
    return undefined;
  }
};
