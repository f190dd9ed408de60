import type { Language, ProgramEnding, SandboxLimitName, SandboxLimits, SandboxLogLine } from "../sandbox.ts";

/** What the host tells a worker. Everything is text or numbers: no value of the host ever enters a guest. */
export type HostMessage =
  | StartMessage
  | { readonly kind: "answer"; readonly program: number; readonly number: number; readonly value: string }
  | {
      readonly kind: "refusal";
      readonly program: number;
      readonly number: number;
      readonly message: string;
      readonly code: string | undefined;
    }
  /** Only sent while the guest waits: one that runs is stopped by the flag. */
  | { readonly kind: "end"; readonly program: number };

export interface StartMessage {
  readonly kind: "start";
  /** Counted by the host, so that an answer that comes late is not given to the next program. */
  readonly program: number;
  readonly language: Language;
  readonly source: string;
  /** JSON text. */
  readonly input: string;
  readonly functions: readonly string[];
  readonly now: number;
  /** Four words of 32 bits. */
  readonly seed: readonly number[];
  readonly limits: SandboxLimits;
}

/** What a worker tells the host. A guest that broke out of its engine would write these: see `readMessage`. */
export type WorkerMessage =
  | { readonly kind: "ready" }
  /** `name` counts from 0 in the program's functions. */
  | { readonly kind: "call"; readonly number: number; readonly name: number; readonly input: string }
  | IdleMessage
  | DoneMessage;

/** What it printed since the last time. */
export interface PrintedOutput {
  readonly logs: readonly SandboxLogLine[];
  readonly logsCut: boolean;
  readonly cpuMs: number;
}

export interface IdleMessage extends PrintedOutput {
  readonly kind: "idle";
  readonly taken: number;
}

export interface DoneMessage extends PrintedOutput {
  readonly kind: "done";
  readonly ending: GuestEnding;
  /** False where the worker is not to be used again. */
  readonly isSound: boolean;
}

export type GuestError = Extract<ProgramEnding, { readonly kind: "error" }>;

/** How a guest came to its end. `ended` is what the host asked for, which alone knows why. */
export type GuestEnding =
  | { readonly kind: "value"; readonly text: string }
  | GuestError
  | { readonly kind: "stopped"; readonly limit: SandboxLimitName; readonly message: string }
  | { readonly kind: "ended" }
  | { readonly kind: "lost"; readonly message: string };

/** Places in the memory that host and worker share. */
export const sharedFlags = {
  /** Not 0: the guest is to stop at the next look. */
  stop: 0,
  /** Counts the guest's looks at the flag. One that no longer looks is in code that the engine cannot interrupt. */
  looks: 1,
} as const;

export const flagBytes = 8;
