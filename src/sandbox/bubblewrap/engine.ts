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
  /** The file of Python, which must be one of the system's own. Unless set: /usr/bin/python3. */
  readonly python?: string;
}

const languages: readonly Language[] = ["python"];

/** What Python takes before the program. */
const pythonBytes = 64 * 1024 * 1024;

/**
 * The system's own Python, each program in namespaces of its own: it sees its empty folder and the system's programs, no
 * network and no other process. It has the real clock and real random numbers: `now` and `seed` change nothing here.
 */
export const openEngine = (options: BubblewrapOptions = {}): Effect.Effect<Sandbox, SandboxError, Scope> =>
  Effect.gen(function* () {
    const programs = yield* probeBubblewrap;
    const python = options.python ?? "/usr/bin/python3";
    if (!existsSync(python))
      return yield* new SandboxError(
        "sandbox_failed",
        `There is no Python at ${python}. Install it: sudo apt-get install python3 (Debian, Ubuntu).`,
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
      // Our own look at its time is finer, and ends it earlier.
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
