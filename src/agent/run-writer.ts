import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { LedgerError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { RunStore } from "../types/run-store.ts";
import type { RunProgress } from "./run-progress.ts";

export interface RunWriter {
  readonly keep: (progress: RunProgress) => Effect.Effect<void, LedgerError>;
}

/** `kept` is already stored; `onKept` receives the conversation after each write. */
export const runWriter = (
  runs: RunStore,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
  kept: readonly Message[],
  clock: Clock.Clock,
  onKept?: (messages: readonly Message[]) => Effect.Effect<void, LedgerError>,
): RunWriter => {
  let known: readonly Message[] = kept;
  return {
    keep: ({ messages, turns, usage, agent }) =>
      Effect.suspend(() => {
        const at = clock.currentTimeMillisUnsafe();
        const fresh = messages.slice(known.length);
        const changed = messages.filter((message, index) => index < known.length && message !== known[index]);
        known = [...messages];
        const amended =
          changed.length === 0 ? Effect.void : runs.amend({ runId, epoch, messages: changed, at });
        // Steps may be batched with the run's next write, unless `onKept` needs them stored.
        const isSoon = onKept === undefined;
        const step = { runId, epoch, messages: fresh, turns, usage, agent: agent.name, at, isSoon };
        const written = fresh.length === 0 ? amended : Effect.andThen(amended, runs.add(step));
        return onKept === undefined ? written : Effect.andThen(written, onKept(known));
      }),
  };
};
