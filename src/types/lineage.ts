import type { Registration } from "./tool.ts";

/**
 * What an argument decides. `target`: who receives the call or what it acts on, by a name that people use.
 * `id`: the same, by a key that a system gave out. `subject`: what the call is about; it stands for the target
 * of a call without one. `content`: text. `value`: amounts, dates, options.
 */
export type ArgumentRole = "target" | "id" | "subject" | "content" | "value";

export const argumentRoles: readonly ArgumentRole[] = ["target", "id", "subject", "content", "value"];

/** Roles by argument name. A role applies to everything inside of the argument. */
export type ArgumentRoles = Readonly<Record<string, ArgumentRole>>;

/**
 * Where the value of an argument came from. `application`: instructions or the principal. `known`: a known
 * target of the policy. `approved`: approved earlier in the run, for the same tool and role. `trusted` and
 * `untrusted`: the result of a tool. `model`: none of the texts in the run has it.
 */
export type ValueSource = "user" | "application" | "known" | "approved" | "trusted" | "untrusted" | "model";

export const valueSources: readonly ValueSource[] = [
  "user",
  "application",
  "known",
  "approved",
  "trusted",
  "untrusted",
  "model",
];

/** Where one value in the arguments of a call came from. */
export interface ValueOrigin {
  /** JSON pointer into the arguments. For a link inside of a text: the pointer of the text. */
  readonly pointer: string;
  readonly role: ArgumentRole;
  readonly value: string;
  /** A link or an address inside of a text. */
  readonly isLink?: true;
  readonly source: ValueSource;
  /** The tool whose result has the value. */
  readonly tool?: string;
  /** Number of that call among the calls of the tool, from 1. */
  readonly call?: number;
  /** The text around the value in that result. */
  readonly excerpt?: string;
}

/** A text that the model can have read. */
export interface RunText {
  readonly source: "user" | "application" | "result";
  readonly text: string;
  /** For results: the tool, and the arguments of the call. */
  readonly tool?: string;
  readonly input?: unknown;
  /** For results: the tool returns untrusted content. Without a text: content that was not recorded. */
  readonly isUntrusted?: boolean;
  /** For results: the tool writes. */
  readonly isWrite?: boolean;
}

/** One use of a tool that a plan declares. */
export interface PlannedUse {
  readonly tool: string;
  /** Targets that the user named. Unless set: whatever trusted sources name. */
  readonly targets?: readonly string[];
}

/** The sinks and private reads that a run will use, declared before it reads untrusted content. */
export interface RunPlan {
  readonly uses: readonly PlannedUse[];
}

/** A call that was approved in the run: its targets and ids count as approved for the same tool and role. */
export interface ApprovedCall {
  readonly registration: Registration;
  readonly input: unknown;
}

/** What is known about the texts of a run. Only the pipeline writes it. */
export interface RunLineage {
  readonly texts: readonly RunText[];
  readonly approved: readonly ApprovedCall[];
  readonly plan: RunPlan | undefined;
  /** A tool that is not in the plan was called, so the plan covers no further call. */
  readonly hasLeftPlan: boolean;
}
