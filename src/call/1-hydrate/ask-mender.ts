import * as Effect from "effect/Effect";
import { toText } from "../../json/to-text.ts";
import type { Change } from "../../words/hydration.ts";
import type { AnyTool } from "../../words/tool.ts";
import type { CallState, Stopped } from "../call-state.ts";
import { cutText } from "./sentences.ts";

/** Arguments that a mender wrote in place of those that came. */
export interface Mended {
  readonly text: string;
  readonly change: Change;
}

/** Whether a mender may be asked: only about arguments, only once, and never about a call that was cut off. */
export const isMendable = ({ state, outcome }: Stopped): boolean => {
  const { repair, mender, raw } = state.request;
  if (repair !== "model" || mender === undefined || raw.finish === "incomplete") return false;
  if (outcome._tag !== "failure" || state.registration === undefined) return false;
  return outcome.failure.code === "unreadable_input" || outcome.failure.code === "invalid_input";
};

/** Asks once. Nothing comes out of a mender that fails or answers with no text. */
export const askMender = (
  { request, recorder }: CallState,
  tool: AnyTool,
  problem: string,
): Effect.Effect<Mended | undefined> => {
  const text = toText(request.raw.input);
  const asked = Effect.tryPromise((signal) =>
    request.mender!({ spec: tool.spec, text, problem }, { signal }),
  );
  return Effect.match(asked, {
    onSuccess: (answer) => {
      if (typeof answer !== "string") return undefined;
      return {
        text: answer,
        change: { stage: "model", pointer: "", from: cutText(text), to: cutText(answer) },
      };
    },
    onFailure: (error) => {
      recorder.note(`repair: the mender failed (${error.message})`);
      return undefined;
    },
  });
};
