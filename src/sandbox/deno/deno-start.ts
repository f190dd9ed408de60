import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import { packageProblem } from "../../base/platform/peer-packages.ts";
import { SandboxError } from "../../types/errors.ts";
import { findPrlimit, findProgram, prlimitArguments } from "../child/find-program.ts";
import type { ChildStart } from "../child/start-child.ts";

export interface DenoOptions {
  /** Unless set: the package `deno`, or one on PATH. */
  readonly deno?: string;
  /** Runs without prlimit, so that memory is unlimited. Unless set: false. */
  readonly withoutSystemLimits?: boolean;
}

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
          "This system has no prlimit, so the memory of a Deno program cannot be limited. On Linux install the package util-linux. On other systems use the engine quickjs, or set withoutSystemLimits to run without the limit.",
        ),
      );
    return Effect.succeed({ deno: file, prlimit });
  });

/** As the package's start script does. */
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

/** Mostly reserved address space for compiled code. */
const denoDataBytes = 704 * 1024 * 1024;
const mebibyte = 1024 * 1024;

export interface DenoLimits {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly fileBytes: number;
  /** Of the engine before the program starts. */
  readonly heapMiB: number;
}

export interface DenoAccess {
  readonly folder: string;
  readonly readable: readonly string[];
  /** Compile cache. Without it, TypeScript starts more slowly. */
  readonly cache?: string;
}

/**
 * No network, environment, subprocesses and imports, and only the given files. Persistent storage is
 * disabled, because the next program could read it.
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

/** A file blocks the location of Deno's storage. */
export const makeDenoCache = (root: string): string => {
  const cache = join(root, "cache");
  mkdirSync(cache);
  writeFileSync(join(cache, "location_data"), "");
  return cache;
};

/** Deno separates paths by commas. */
const escapeCommas = (path: string): string => path.replaceAll(",", ",,");
