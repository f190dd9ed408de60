import * as Effect from "effect/Effect";
import { stringifyValue } from "../../base/json/json-value.ts";
import type { Change } from "../../types/hydration.ts";
import type { AnyTool } from "../../types/tool.ts";
import type { CallState } from "../call-state.ts";
import { toExcerpt } from "./argument-messages.ts";

export interface RepairedArguments {
  readonly text: string;
  readonly change: Change;
}

export const requestRepair = (
  { request, recorder }: CallState,
  tool: AnyTool,
  problem: string,
): Effect.Effect<RepairedArguments | undefined> => {
  const text = stringifyValue(request.raw.input);
  const repairing = Effect.tryPromise((signal) =>
    request.repairer!({ spec: tool.spec, text, problem }, { signal }),
  );
  return Effect.match(repairing, {
    onSuccess: (answer) => {
      if (typeof answer !== "string") return undefined;
      return {
        text: answer,
        change: { stage: "model", pointer: "", from: toExcerpt(text), to: toExcerpt(answer) },
      };
    },
    onFailure: (error) => {
      recorder.note(`repair: the repairer failed (${error.message})`);
      return undefined;
    },
  });
};
