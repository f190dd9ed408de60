import type { Effect } from "effect/Effect";
import type { SandboxError } from "../types/errors.ts";

/** What a program may be written in. */
export type Language = "javascript" | "typescript" | "python";

/** What runs programs: each is a barrier of its own kind. */
export type EngineName = "quickjs" | "deno" | "pyodide" | "bubblewrap";

export const engineNames: readonly EngineName[] = ["quickjs", "deno", "pyodide", "bubblewrap"];

/** The most that one program may use. Each limit that is reached ends the program, and the ending names it. */
export interface SandboxLimits {
  /** From the start to the value, time in which its calls are answered included. Unless set: 30,000. */
  readonly wallMs: number;
  /** Time that it computes. Unless set: 2,000. */
  readonly cpuMs: number;
  /** Unless set: 64 MiB. Engines that need more for themselves count only what the program adds. */
  readonly memoryBytes: number;
  /** Unless set: 100 KiB. */
  readonly sourceBytes: number;
  /** The value as JSON. Unless set: 1 MiB. */
  readonly resultBytes: number;
  /** Everything it prints; what is more is cut off and said. Unless set: 64 KiB. */
  readonly logBytes: number;
  /** Calls of functions outside. Unless set: 100. */
  readonly calls: number;
  /** Calls that are not answered yet. Unless set: 8. */
  readonly callsAtOnce: number;
  /** The arguments of one call as JSON, and its answer. Unless set: 1 MiB. */
  readonly callBytes: number;
  /** Files that it leaves in its folder, together. Unless set: 10 MiB. */
  readonly fileBytes: number;
}

/** A program that nobody trusts, and the little that it is given. */
export interface SandboxProgram {
  readonly language: Language;
  /**
   * JavaScript and TypeScript are the body of an async function: `return` gives the value. In Python the value is that of
   * the last line, if that is an expression. Values are JSON.
   */
  readonly source: string;
  /** JSON that the program finds as `input`. Unless set: null. */
  readonly input?: unknown;
  /** Functions outside that it may call, by their path from `tools`: `["get_weather", "mail.send"]`. Unless set: none. */
  readonly functions?: readonly string[];
  /** Answers one call. It never fails: what went wrong is an answer too. */
  readonly answer?: (call: ProgramCall) => Promise<ProgramAnswer>;
  /** Told when there is an engine for it; until then it waits for its turn. Only QuickJS tells. */
  readonly onStart?: () => void;
  /** Told when the program can do nothing until another call is answered, with how many answers it has taken. */
  readonly onIdle?: (answersTaken: number) => void;
  /** Put into its empty folder before it starts, by relative path; only engines with files take them. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** What it sees as the time, which stands still, in milliseconds since 1970. Unless set: 0. */
  readonly now?: number;
  /** What its random numbers are made of: the same seed, the same numbers. Unless set: a fixed one. */
  readonly seed?: string;
  readonly limits?: Partial<SandboxLimits>;
}

/** A call of a function outside, numbered from 0 in the order in which the program made them. */
export interface ProgramCall {
  readonly number: number;
  readonly name: string;
  /** Its one argument as JSON text, `{}` where it had none. Foreign: nobody has looked at it but to bound its length. */
  readonly input: string;
}

/** What the program is told: the value as JSON text, or an error that its call throws. */
export type ProgramAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string; readonly code?: string };

/** The limit that ended a program. */
export type SandboxLimitName = "time" | "cpu" | "memory" | "source" | "result" | "calls" | "call" | "files";

/** How a program came to its end. */
export type ProgramEnding =
  | { readonly kind: "value"; readonly value: unknown }
  /** It threw, or could not be read. Line and column are those of its own source, from 1. */
  | {
      readonly kind: "error";
      readonly name: string;
      readonly message: string;
      readonly line?: number | undefined;
      readonly column?: number | undefined;
      readonly stack?: string | undefined;
    }
  | { readonly kind: "stopped"; readonly limit: SandboxLimitName; readonly message: string }
  /** Its engine ended without saying why. */
  | { readonly kind: "lost"; readonly message: string };

/** What came of a program. */
export interface ProgramResult {
  readonly ending: ProgramEnding;
  /** What it printed, line by line; `warn` and `error` of its console have those levels. */
  readonly logs: readonly SandboxLogLine[];
  /** True where it printed more than is kept. */
  readonly logsCut: boolean;
  /** Files that it left in its folder, where the engine has one. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly usage: { readonly wallMs: number; readonly cpuMs: number; readonly calls: number };
}

/** A line that a program printed. */
export interface SandboxLogLine {
  readonly level: "log" | "warn" | "error";
  readonly text: string;
}

/**
 * Where untrusted code runs. Whatever the program does, `run` answers within its limits; it fails only where the engine
 * itself cannot be had. When it is interrupted, the program is ended at once and for good.
 */
export interface Sandbox {
  readonly engine: EngineName;
  readonly languages: readonly Language[];
  readonly run: (program: SandboxProgram) => Effect<ProgramResult, SandboxError>;
  /** Ends whatever runs, and what is kept ready. */
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

/** How much later than the engine's own limit the process or worker around it is ended. */
export const hardLimitGraceMs = 500;
