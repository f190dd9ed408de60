import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import { packageProblem } from "../../base/platform/peer-packages.ts";
import { SandboxError } from "../../types/errors.ts";
import { findProgram } from "../child/find-program.ts";
import { findPrlimit, prlimitArguments } from "../child/prlimit.ts";
import type { ChildStart } from "../child/start-child.ts";

export interface DenoOptions {
  /** The file of Deno. Unless set: that of the package `deno`, or one on PATH. */
  readonly deno?: string;
  /**
   * Lets programs run where the system has no prlimit, so that nothing but the clock holds them: they can then take all
   * memory of the machine. Unless set: false.
   */
  readonly withoutSystemLimits?: boolean;
}

/** What is needed to start Deno on this machine. */
export interface DenoProgram {
  readonly deno: string;
  readonly prlimit: string | undefined;
}

const missingDenoError = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false });

export const findDeno = (
  { deno, withoutSystemLimits }: DenoOptions = {},
  limiter = findPrlimit() ?? "",
): Effect.Effect<DenoProgram, SandboxError> =>
  Effect.suspend(() => {
    const packaged = deno === undefined ? packagedDeno() : undefined;
    const file = deno ?? packaged ?? findProgram("deno");
    if (file === undefined || !existsSync(file))
      return Effect.fail(missingDenoError("Deno is not installed. Install it: npm install deno"));
    const problem = packaged === undefined ? undefined : packageProblem("deno", "The Deno sandbox needs");
    if (problem !== undefined) return Effect.fail(missingDenoError(problem));
    const prlimit = limiter === "" ? undefined : limiter;
    if (prlimit === undefined && withoutSystemLimits !== true)
      return Effect.fail(
        missingDenoError(
          "This system has no prlimit, so nothing would hold the memory of a program in Deno. On Linux install the package util-linux; elsewhere use the engine quickjs, or set withoutSystemLimits to run it all the same.",
        ),
      );
    return Effect.succeed({ deno: file, prlimit });
  });

/** As the package's own start script finds it, without a Node process in between. */
const packagedDeno = (): string | undefined => {
  const name = process.platform === "win32" ? "deno.exe" : "deno";
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("deno/package.json"));
    const platform =
      process.platform === "linux" ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
    const binary = createRequire(join(folder, "package.json")).resolve(`@deno/${platform}/package.json`);
    return join(dirname(binary), name);
  } catch {
    return undefined;
  }
};

/** What Deno takes for itself of memory that counts: most of it is room for compiled code, which is never used. */
const denoDataBytes = 704 * 1024 * 1024;
const mebibyte = 1024 * 1024;

export interface DenoLimits {
  /** What the program may add. */
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly fileBytes: number;
  /** What the engine inside takes of the heap, and of all memory, before the program. */
  readonly heapMiB: number;
}

export interface DenoAccess {
  /** The program's own folder. */
  readonly folder: string;
  readonly readable: readonly string[];
  /** Where Deno keeps what it compiled, for this program alone. Unless set: nowhere, which TypeScript pays for in time. */
  readonly cache?: string;
}

/**
 * A Deno that may do nothing but compute: no network, no variables, no programs, no imports, and no files but those that
 * are named. What a program stores with Deno's own means the next would read, so there is no place for it.
 */
export const denoStart = (
  { deno, prlimit }: DenoProgram,
  source: string,
  access: DenoAccess,
  limits: DenoLimits,
): ChildStart => {
  const heap = limits.heapMiB + Math.ceil(limits.memoryBytes / mebibyte);
  const readable = [access.folder, ...access.readable].map(escapeCommas).join(",");
  const words = [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-config",
    "--no-npm",
    "--no-remote",
    "--no-lock",
    "--no-check",
    "--no-code-cache",
    "--cached-only",
    "--deny-import",
    `--allow-read=${readable}`,
    `--allow-write=${escapeCommas(access.folder)}`,
    `--v8-flags=--max-old-space-size=${heap},--max-semi-space-size=4`,
    `data:application/javascript;base64,${Buffer.from(source).toString("base64")}`,
  ];
  const env = {
    DENO_DIR: access.cache ?? "/dev/null/none",
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    DENO_NO_PROMPT: "1",
  };
  if (prlimit === undefined) return { file: deno, args: words, cwd: access.folder, env };
  const data = denoDataBytes + limits.heapMiB * mebibyte + limits.memoryBytes;
  const { cpuSeconds, fileBytes } = limits;
  const args = [...prlimitArguments({ data, cpuSeconds, openFiles: 256, fileBytes }), deno, ...words];
  return { file: prlimit, args, cwd: access.folder, env };
};

/** A folder for Deno in which a file stands where its storage would be. */
export const makeDenoCache = (root: string): string => {
  const cache = join(root, "cache");
  mkdirSync(cache);
  writeFileSync(join(cache, "location_data"), "");
  return cache;
};

/** In a list of paths a comma would begin the next. */
const escapeCommas = (path: string): string => path.replaceAll(",", ",,");
