import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../src/types/call.ts";
import type { Outcome } from "../../src/types/outcome.ts";
import type { AnyLayer, Handler } from "../../src/types/tool.ts";

/** A layer that records when it is entered and left. */
export const recordingLayer =
  (name: string, seen: string[]): AnyLayer =>
  (next: Handler): Handler =>
  (call) =>
    Effect.suspend(() => {
      seen.push(`${name} in`);
      return Effect.map(next(call), (outcome) => {
        seen.push(`${name} out`);
        return outcome;
      });
    });

/** A layer that changes the call. */
export const callChangingLayer =
  (change: (call: AuthorizedCall) => AuthorizedCall): AnyLayer =>
  (next: Handler): Handler =>
  (call) =>
    next(change(call));

/** A layer that changes the outcome. */
export const outcomeChangingLayer =
  (answer: (outcome: Outcome) => Outcome): AnyLayer =>
  (next: Handler): Handler =>
  (call) =>
    Effect.map(next(call), answer);
