import type { Effect } from "effect/Effect";
import type { SandboxError } from "../types/errors.ts";

/** Language of a program. */
export type Language = "javascript" | "typescript" | "python";

/** Sandbox engines. Each isolates programs by a different mechanism. */
export type EngineName = "quickjs" | "deno" | "pyodide" | "bubblewrap";

export const engineNames: readonly EngineName[] = ["quickjs", "deno", "pyodide", "bubblewrap"];

/** Limits of one program. A program that exceeds a limit is stopped, and its ending names the limit. */
export interface SandboxLimits {
  /** Time from start to result in milliseconds, calls included. Unless set: 30,000. */
  readonly wallMs: number;
  /** CPU time in milliseconds. Unless set: 2,000. */
  readonly cpuMs: number;
  /** Memory of the program in bytes, without that of the engine. Unless set: 64 MiB. */
  readonly memoryBytes: number;
  /** Length of the source in bytes. Unless set: 100 KiB. */
  readonly sourceBytes: number;
  /** Length of the result as JSON. Unless set: 1 MiB. */
  readonly resultBytes: number;
  /** Length of all printed lines; the rest is dropped. Unless set: 64 KiB. */
  readonly logBytes: number;
  /** Number of function calls. Unless set: 100. */
  readonly calls: number;
  /** Number of concurrent unanswered calls. Unless set: 8. */
  readonly callsAtOnce: number;
  /** Length of the arguments of one call, and of its answer, as JSON. Unless set: 1 MiB. */
  readonly callBytes: number;
  /** Total size of the files that the program leaves in its folder. Unless set: 10 MiB. */
  readonly fileBytes: number;
}

/** An untrusted program and everything that it can access. */
export interface SandboxProgram {
  readonly language: Language;
  /**
   * JavaScript and TypeScript: the body of an async function that returns the result. Python: the result is
   * the last line, if that is an expression. Results are JSON.
   */
  readonly source: string;
  /** JSON that the program reads as `input`. Unless set: null. */
  readonly input?: unknown;
  /**
   * Functions that the program may call, by their path below `tools`: `["get_weather", "mail.send"]`. Unless
   * set: none.
   */
  readonly functions?: readonly string[];
  /** Answers a call. It must not reject; a failure is an answer too. */
  readonly answer?: (call: ProgramCall) => Promise<ProgramAnswer>;
  /** Called when an engine is available. Only QuickJS calls it. */
  readonly onStart?: () => void;
  /** Called when the program waits for an answer, with the number of answers that it has taken. */
  readonly onIdle?: (answersTaken: number) => void;
  /** Files in the program's folder, by relative path. Only for engines that support files. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** The fixed time that the program sees, in milliseconds since 1970. Unless set: 0. */
  readonly now?: number;
  /** Seed of the random numbers. Equal seeds produce equal numbers. Unless set: a fixed seed. */
  readonly seed?: string;
  readonly limits?: Partial<SandboxLimits>;
}

/** A function call by a program. Calls are numbered from 0. */
export interface ProgramCall {
  readonly number: number;
  readonly name: string;
  /** The argument as JSON text, or `{}` if there is none. Only its length is validated. */
  readonly input: string;
}

/** The answer to a call: the value as JSON text, or an error to throw. */
export type ProgramAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string; readonly code?: string };

/** The limit that stopped a program. */
export type SandboxLimitName = "time" | "cpu" | "memory" | "source" | "result" | "calls" | "call" | "files";

/** How a program ended. */
export type ProgramEnding =
  | { readonly kind: "value"; readonly value: unknown }
  /** The program threw or did not parse. Line and column refer to its source, from 1. */
  | {
      readonly kind: "error";
      readonly name: string;
      readonly message: string;
      readonly line?: number | undefined;
      readonly column?: number | undefined;
      readonly stack?: string | undefined;
    }
  | { readonly kind: "stopped"; readonly limit: SandboxLimitName; readonly message: string }
  /** The engine ended without a reason. */
  | { readonly kind: "lost"; readonly message: string };

/** Result of a program. */
export interface ProgramResult {
  readonly ending: ProgramEnding;
  /** Printed lines. */
  readonly logs: readonly SandboxLogLine[];
  /** Whether lines were dropped. */
  readonly logsCut: boolean;
  /** Files that the program left in its folder. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly usage: { readonly wallMs: number; readonly cpuMs: number; readonly calls: number };
}

/** A line that a program printed. */
export interface SandboxLogLine {
  readonly level: "log" | "warn" | "error";
  readonly text: string;
}

export const toLine = ({ level, text }: SandboxLogLine): string =>
  level === "log" ? text : `${level}: ${text}`;

/**
 * An engine that runs untrusted code. `run` always completes within its limits and fails only if the engine
 * is unavailable. Interruption stops the program immediately.
 */
export interface Sandbox {
  readonly engine: EngineName;
  readonly languages: readonly Language[];
  readonly run: (program: SandboxProgram) => Effect<ProgramResult, SandboxError>;
  /** Stops all running and preloaded processes. */
  readonly close: () => Promise<void>;
}

export const defaultLimits: SandboxLimits = Object.freeze({
  wallMs: 30_000,
  cpuMs: 2_000,
  memoryBytes: 64 * 1024 * 1024,
  sourceBytes: 100 * 1024,
  resultBytes: 1024 * 1024,
  logBytes: 64 * 1024,
  calls: 100,
  callsAtOnce: 8,
  callBytes: 1024 * 1024,
  fileBytes: 10 * 1024 * 1024,
});

/** How much later the surrounding process or worker is killed. */
export const hardLimitGraceMs = 500;
