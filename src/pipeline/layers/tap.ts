import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Handler, ToolLayer } from "../../types/layer.ts";
import type { Outcome } from "../../types/outcome.ts";

/** Functions that the `tap` layer tells of each call. */
export interface TapOptions {
  readonly before?: (call: AuthorizedCall) => void;
  readonly after?: (call: AuthorizedCall, outcome: Outcome) => void;
}

/** Watches calls. A watcher that throws is on its own: the call goes on and the ledger says so. */
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

/** Only the kind of error is noted: its text may hold what the ledger must not. */
const runWatcher = (call: AuthorizedCall, where: string, watcher: () => unknown): void => {
  const noteError = (cause: unknown): void => {
    call.recorder.note(`tap: ${where} threw ${cause instanceof Error ? cause.name : typeof cause}`);
  };
  try {
    const returned = watcher() as PromiseLike<unknown> | undefined;
    // An async watcher fits the type too, and a rejection nobody takes would end the process.
    if (typeof returned?.then === "function") returned.then(undefined, noteError);
  } catch (cause) {
    noteError(cause);
  }
};
