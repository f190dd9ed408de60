import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";

/** Callbacks of the `tap` layer. */
export interface TapOptions {
  readonly before?: (call: AuthorizedCall) => void;
  readonly after?: (call: AuthorizedCall, outcome: Outcome) => void;
}

/** Observes calls. An exception of a callback is noted in the ledger and does not affect the call. */
export const tap = ({ before, after }: TapOptions): ToolLayer =>
  Object.assign(
    (next: Handler): Handler =>
      (call) => {
        const answered = Effect.suspend(() => {
          if (before !== undefined) runWatcher(call, "before", () => before(call));
          return next(call);
        });
        if (after === undefined) return answered;
        return Effect.map(answered, (outcome) => {
          runWatcher(call, "after", () => after(call, outcome));
          return outcome;
        });
      },
    { label: "tap" },
  );

/** Notes only the error's name, because its message may contain secrets. */
const runWatcher = (call: AuthorizedCall, where: string, watcher: () => unknown): void => {
  const noteError = (cause: unknown): void => {
    call.recorder.note(`tap: ${where} threw ${cause instanceof Error ? cause.name : typeof cause}`);
  };
  try {
    const returned = watcher() as PromiseLike<unknown> | undefined;
    // Handles the rejection of an async callback, which would otherwise end the process.
    if (typeof returned?.then === "function") returned.then(undefined, noteError);
  } catch (cause) {
    noteError(cause);
  }
};
