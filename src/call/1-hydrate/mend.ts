import * as Effect from "effect/Effect";
import { toText } from "../../json/to-text.ts";
import type { Trip } from "../../words/call.ts";
import type { Mender } from "../../words/hydration.ts";
import type { Outcome } from "../../words/outcome.ts";
import type { AnyTool } from "../../words/tool.ts";
import { cutText } from "./sentences.ts";

/** Whether a mender may be asked: only about arguments, only once, and never about a call that was cut off. */
export const isMendable = (
  trip: Trip,
  outcome: object,
): outcome is Outcome & { readonly _tag: "failure" } => {
  if (trip.repair !== "model" || trip.mender === undefined || trip.raw.finish === "incomplete") return false;
  const { _tag, failure } = outcome as Partial<Extract<Outcome, { _tag: "failure" }>>;
  return _tag === "failure" && (failure?.code === "unreadable_input" || failure?.code === "invalid_input");
};

/** The same trip with the arguments a mender gave in place of those that came; nobody is asked again. */
export const mend = (trip: Trip, tool: AnyTool, problem: string): Effect.Effect<Trip> => {
  const text = toText(trip.raw.input);
  const asked = Effect.tryPromise((signal) =>
    (trip.mender as Mender)({ spec: tool.spec, text, problem }, { signal }),
  );
  return Effect.match(asked, {
    onSuccess: (answer) => {
      if (typeof answer !== "string") return { ...trip, repair: "off" };
      const mended = { stage: "model", pointer: "", from: cutText(text), to: cutText(answer) } as const;
      return { ...trip, raw: { ...trip.raw, input: answer }, repair: "off", mended };
    },
    onFailure: (error) => {
      trip.notes.push(`repair: the mender failed (${error.message})`);
      return { ...trip, repair: "off" };
    },
  });
};
