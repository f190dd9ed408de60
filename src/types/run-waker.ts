import * as Context from "effect/Context";

/** Wakes a run that workers go on with, once nothing of it is asked any more. Nobody waits for it. */
export type WakeRun = (runId: string) => void;

/** Nobody's by default: then a worker finds the run when it looks for those that were lost. */
export const RunWaker: Context.Reference<WakeRun | undefined> = Context.Reference<WakeRun | undefined>(
  "haft/RunWaker",
  { defaultValue: () => undefined },
);
