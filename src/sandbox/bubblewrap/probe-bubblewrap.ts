import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { findPrlimit, findProgram } from "../child/find-program.ts";
import { BoundedBytes, startChild } from "../child/start-child.ts";
import { namespaceArguments } from "./namespace-arguments.ts";

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

/** Prints what a program can do but should not. */
const probeScript = `
const [canary, port, host, nap] = process.argv.slice(1);
const fs = require("node:fs"), net = require("node:net"), { spawn } = require("node:child_process");
const holes = [];
const tries = (what, how) => { try { how(); holes.push(what); } catch {} };
tries("read a file outside", () => fs.readFileSync(canary));
tries("read the accounts of the machine", () => fs.readFileSync("/etc/passwd"));
tries("wrote a file outside", () => fs.writeFileSync(canary + ".new", ""));
tries("could change the system", () => fs.accessSync("/usr", fs.constants.W_OK));
tries("signaled a process outside", () => process.kill(Number(host), 0));
for (let i = 0; i < 20; i++) spawn("sleep", [nap], { stdio: "ignore", detached: true }).on("error", () => {}).unref();
const done = () => { console.log(JSON.stringify(holes)); process.exit(0); };
const socket = net.connect(Number(port), "127.0.0.1");
socket.on("connect", () => { holes.push("reached a port outside"); done(); });
socket.on("error", done);
`;

/** Shorter than the sleep of the processes that are left behind. */
const wallMs = 15_000;
const exitTimeoutMs = 4_000;
const pollMs = 20;

/** What a program in bubblewrap can do but should not. Fails if bwrap does not start. */
export const probeEscapes = (bwrap: string): Effect.Effect<readonly string[], string> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "haft-probe-"));
      const canary = join(folder, "canary");
      writeFileSync(canary, "outside");
      return { folder, canary, server: createServer((socket) => socket.destroy()) };
    }),
    ({ canary, server }) =>
      Effect.callback<readonly string[], string>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address();
          const port = typeof address === "object" && address !== null ? address.port : 0;
          const nap = `20.${randomBytes(4).readUInt32BE()}`;
          const [out, said] = [new BoundedBytes(10_000), new BoundedBytes(2_000)];
          const view = { readOnly: [process.execPath], cwd: "/tmp" };
          const words = ["-e", probeScript, canary, String(port), String(process.pid), nap];
          const start = {
            file: bwrap,
            args: [...namespaceArguments(view), process.execPath, ...words],
            cwd: "/",
            env: {},
            hasOwnGroups: true,
          };
          const child = startChild(start, {
            onOutput: (chunk) => out.push(chunk),
            onError: (chunk) => said.push(chunk),
            onEnd: ({ problem }) => {
              clearTimeout(timer);
              const verdict = readVerdict(out.bytes().toString());
              const why = problem ?? firstLine(said.bytes().toString());
              if (verdict === undefined) return resume(Effect.fail(why));
              waitForExit(nap, Date.now() + exitTimeoutMs, (areGone) =>
                resume(Effect.succeed(areGone ? verdict : [...verdict, "left processes behind"])),
              );
            },
          });
          const timer = setTimeout(child.kill, wallMs);
          child.endInput();
        });
      }),
    ({ folder, server }) =>
      Effect.sync(() => {
        server.close();
        rmSync(folder, { recursive: true, force: true });
      }),
  );

const readVerdict = (text: string): readonly string[] | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const firstLine = (text: string): string =>
  (text.split("\n", 1)[0] ?? "").replace(/^bwrap: /, "").slice(0, 200);

/** Finds the processes by their unusual sleep duration. */
const waitForExit = (nap: string, until: number, then: (areGone: boolean) => void): void => {
  const areThere = readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(nap));
  if (areThere && Date.now() < until) setTimeout(() => waitForExit(nap, until, then), pollMs);
  else then(!areThere);
};

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};

const cachedProbe = (bwrap: string): Effect.Effect<readonly string[], string> => {
  const known = probeCache.get(bwrap);
  if (known !== undefined) return known;
  const verdict = Effect.runSync(Effect.cached(Effect.uninterruptible(probeEscapes(bwrap))));
  probeCache.set(bwrap, verdict);
  return verdict;
};
