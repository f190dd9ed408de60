import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import type { SandboxError } from "../../types/errors.ts";
import { checkProgram } from "../child/check-program.ts";
import { guestPool, openGuestProcess } from "../child/guest-process.ts";
import { runGuest } from "../child/run-guest.ts";
import type { Language, Sandbox, SandboxLimits } from "../sandbox.ts";
import { type DenoOptions, type DenoProgram, denoStart, findDeno, makeDenoCache } from "./deno-start.ts";
import { denoGuestSource } from "./guest-source.ts";

const languages: readonly Language[] = ["javascript", "typescript"];

const heapMiB = 16;

/** Each program runs in its own Deno with access only to an empty folder. `now` and `seed` have no effect. */
export const openEngine = (options: DenoOptions = {}): Effect.Effect<Sandbox, SandboxError, Scope> =>
  Effect.gen(function* () {
    const deno = yield* findDeno(options);
    const guests = yield* guestPool;
    return {
      engine: "deno",
      languages,
      run: (program) =>
        Effect.gen(function* () {
          const checked = yield* checkProgram("deno", languages, program);
          if (checked.result !== undefined) return checked.result;
          const { limits } = checked;
          return yield* guests.use(openDeno(deno, limits), (guest) => runGuest("deno", guest, checked));
        }),
      close: () => Effect.runPromise(guests.close),
    };
  });

const openDeno = (deno: DenoProgram, limits: SandboxLimits) =>
  openGuestProcess((folder, root) => {
    const { memoryBytes, fileBytes, cpuMs } = limits;
    // The watcher stops the program earlier.
    const cpuSeconds = Math.ceil(cpuMs / 1000) + 2;
    return denoStart(
      deno,
      denoGuestSource,
      { folder, readable: [], cache: makeDenoCache(root) },
      { memoryBytes, fileBytes, cpuSeconds, heapMiB },
    );
  }, limits.resultBytes);
