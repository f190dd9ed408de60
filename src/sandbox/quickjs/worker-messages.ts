import type { Language, ProgramEnding, SandboxLimitName, SandboxLimits, SandboxLogLine } from "../sandbox.ts";

/** Only text and numbers, so that no host object enters a guest. */
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
  /** Sent only while the guest waits. A running guest is stopped by the flag. */
  | { readonly kind: "end"; readonly program: number };

export interface StartMessage {
  readonly kind: "start";
  /** Numbered, so that a late answer does not reach the next program. */
  readonly program: number;
  readonly language: Language;
  readonly source: string;
  /** JSON text. */
  readonly input: string;
  readonly functions: readonly string[];
  readonly now: number;
  readonly seed: readonly number[];
  readonly limits: SandboxLimits;
}

/** Untrusted, see `readWorkerMessage`. */
export type WorkerMessage =
  | { readonly kind: "ready" }
  /** `name` is an index into the program's functions. */
  | { readonly kind: "call"; readonly number: number; readonly name: number; readonly input: string }
  | IdleMessage
  | DoneMessage;

/** Output since the previous message. */
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
  /** Whether the worker can be reused. */
  readonly isSound: boolean;
}

export type GuestError = Extract<ProgramEnding, { readonly kind: "error" }>;

/** `ended` means that the host asked for it. */
export type GuestEnding =
  | { readonly kind: "value"; readonly text: string }
  | GuestError
  | { readonly kind: "stopped"; readonly limit: SandboxLimitName; readonly message: string }
  | { readonly kind: "ended" }
  | { readonly kind: "lost"; readonly message: string };

export const sharedFlags = {
  /** Not 0: the guest stops at its next check. */
  stop: 0,
  /** Unchanged while the guest runs code that cannot be interrupted. */
  looks: 1,
} as const;

export const flagBytes = 8;
