import * as Context from "effect/Context";

export type WakeRun = (runId: string) => void;

/** Undefined by default: a worker then finds the run when it scans for lost runs. */
export const RunWaker: Context.Reference<WakeRun | undefined> = Context.Reference<WakeRun | undefined>(
  "haft/RunWaker",
  { defaultValue: () => undefined },
);
