import { realpathSync } from "node:fs";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { findProgram } from "../child/find-program.ts";
import { findPrlimit } from "../child/prlimit.ts";
import { probeEscapes } from "./probe-escapes.ts";

export interface Bubblewrap {
  readonly bwrap: string;
  readonly prlimit: string;
}

const missingError = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false });

export const installBubblewrap =
  "sudo apt-get install bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap (Fedora) or sudo pacman -S bubblewrap (Arch)";

const namespaceAdvice =
  "Allow user namespaces: on Ubuntu from 23.10 on with an AppArmor profile for bwrap, or sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0; elsewhere sudo sysctl user.max_user_namespaces=10000. A container needs a seccomp profile that allows namespaces.";

/** Holds for the lifetime of the process. */
const probeCache = new Map<string, Effect.Effect<readonly string[], string>>();

/**
 * Probes bubblewrap once, because namespaces can be disabled in ways that only a probe shows. Programs never
 * run without the sandbox.
 */
export const probeBubblewrap: Effect.Effect<Bubblewrap, SandboxError> = Effect.gen(function* () {
  if (process.platform !== "linux")
    return yield* missingError(
      "The bubblewrap sandbox is available on Linux only. Use another engine on this system.",
    );
  const bwrap = findProgram("bwrap");
  if (bwrap === undefined)
    return yield* missingError(`bubblewrap is not installed. Install it: ${installBubblewrap}.`);
  const prlimit = findPrlimit();
  // It must be visible inside too.
  if (prlimit === undefined || !/^\/(?:usr|nix|gnu)\//.test(realpathSync(prlimit)))
    return yield* missingError(
      "prlimit is missing, so memory and CPU time cannot be limited. Install the package util-linux.",
    );
  const holes = yield* Effect.mapError(cachedProbe(bwrap), (said) =>
    said.startsWith("Unknown option")
      ? missingError(`bubblewrap is too old (${said}): version 0.7 or newer is required.`)
      : missingError(
          `bubblewrap cannot create its sandbox on this machine${said === "" ? "" : ` (${said})`}. ${namespaceAdvice}`,
        ),
  );
  if (holes.length > 0)
    return yield* missingError(
      `bubblewrap does not isolate programs on this machine: a test program ${holes.join(", and ")}. No program is run in it.`,
    );
  return { bwrap, prlimit };
});

const cachedProbe = (bwrap: string): Effect.Effect<readonly string[], string> => {
  const known = probeCache.get(bwrap);
  if (known !== undefined) return known;
  const verdict = Effect.runSync(Effect.cached(Effect.uninterruptible(probeEscapes(bwrap))));
  probeCache.set(bwrap, verdict);
  return verdict;
};
