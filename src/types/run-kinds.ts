/** What drives a run. */
export type RunKind = "run" | "session" | "chat" | "job" | "schedule";

export interface RunKindRules {
  /** Who resumes the run after an approval. `none`: it is never executed. */
  readonly resumedBy: "caller" | "session" | "chat" | "worker" | "none";
  /** The same for messages to operators. Undefined if `haft resume` resumes the run. */
  readonly resumer: string | undefined;
  readonly noun: string;
  /** What a cancellation is called: "The chat was deleted". */
  readonly ended: "cancelled" | "ended" | "deleted";
}

export const runKinds: Readonly<Record<RunKind, RunKindRules>> = {
  run: { resumedBy: "caller", resumer: undefined, noun: "run", ended: "cancelled" },
  session: {
    resumedBy: "session",
    resumer: "the program that drives its session",
    noun: "session",
    ended: "ended",
  },
  chat: { resumedBy: "chat", resumer: "the handler of its chat page", noun: "chat", ended: "deleted" },
  job: { resumedBy: "worker", resumer: "a worker of the fleet", noun: "run", ended: "cancelled" },
  schedule: {
    resumedBy: "none",
    resumer: "a worker, which submits a run each time the schedule is due",
    noun: "schedule",
    ended: "cancelled",
  },
};

/**
 * The id carries the kind, because the hash chain covers ids: a column could be changed without a trace.
 * Ids of kind `run` have other prefixes.
 */
const prefixes = { session: "session-", chat: "chat-", job: "job-", schedule: "schedule-" } as const;

const markedKinds = Object.keys(prefixes) as readonly (keyof typeof prefixes)[];

export const runKindOf = (runId: string): RunKind =>
  markedKinds.find((kind) => runId.startsWith(prefixes[kind])) ?? "run";

export const runKindRulesOf = (runId: string): RunKindRules => runKinds[runKindOf(runId)];

export const toRunId = (kind: keyof typeof prefixes, rest: string): string => prefixes[kind] + rest;

/** The part of an id after its kind. */
export const unmarkedRunId = (kind: keyof typeof prefixes, runId: string): string =>
  runId.slice(prefixes[kind].length);
