import { existsSync } from "node:fs";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { SandboxError } from "../../types/errors.ts";
import { checkProgram } from "../child/check-program.ts";
import { guestPool } from "../child/guest-pool.ts";
import { openGuestProcess } from "../child/guest-process.ts";
import { prlimitArguments } from "../child/prlimit.ts";
import { runGuest } from "../child/run-guest.ts";
import type { Language, Sandbox, SandboxLimits } from "../sandbox.ts";
import { pythonGuestSource } from "./guest-source.ts";
import { namespaceArguments } from "./namespace-arguments.ts";
import { type Bubblewrap, probeBubblewrap } from "./probe-bubblewrap.ts";

export interface BubblewrapOptions {
  /** Path of Python, which must be an installation of the system. Unless set: /usr/bin/python3. */
  readonly python?: string;
}

const languages: readonly Language[] = ["python"];

const pythonBytes = 64 * 1024 * 1024;

/**
 * Each program runs with the system's Python in its own namespaces: it sees an empty folder and the system's
 * programs, but no network and no other process. `now` and `seed` have no effect.
 */
export const openEngine = (options: BubblewrapOptions = {}): Effect.Effect<Sandbox, SandboxError, Scope> =>
  Effect.gen(function* () {
    const programs = yield* probeBubblewrap;
    const python = options.python ?? "/usr/bin/python3";
    if (!existsSync(python))
      return yield* new SandboxError(
        "sandbox_failed",
        `Python was not found at ${python}. Install it: sudo apt-get install python3 (Debian, Ubuntu).`,
        { ran: false },
      );
    const guests = yield* guestPool;
    return {
      engine: "bubblewrap",
      languages,
      run: (program) =>
        Effect.gen(function* () {
          const checked = yield* checkProgram("bubblewrap", languages, program);
          if (checked.result !== undefined) return checked.result;
          const { limits } = checked;
          return yield* guests.use(openPython(programs, python, limits), (guest) =>
            runGuest("bubblewrap", guest, checked),
          );
        }),
      close: () => Effect.runPromise(guests.close),
    };
  });

const openPython = ({ bwrap, prlimit }: Bubblewrap, python: string, limits: SandboxLimits) =>
  openGuestProcess((folder) => {
    const system = prlimitArguments({
      data: pythonBytes + limits.memoryBytes,
      // The watcher stops the program earlier.
      cpuSeconds: Math.ceil(limits.cpuMs / 1000) + 1,
      openFiles: 256,
      processes: 64,
      fileBytes: limits.fileBytes,
    });
    const view = namespaceArguments({
      writable: [folder],
      cwd: folder,
      temporaryBytes: limits.fileBytes,
    });
    const args = [...view, prlimit, ...system, python, "-I", "-c", pythonGuestSource];
    const env = { PATH: "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" };
    return { file: bwrap, args, cwd: "/", env, hasOwnGroups: true };
  }, limits.resultBytes);
