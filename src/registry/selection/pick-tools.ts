import * as Effect from "effect/Effect";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool } from "../words/tool.ts";
import type { Picked, PickOptions } from "./pick-options.ts";

/**
 * Which tools fit a question best: at most `maxCandidates`, the best first. Loaded with the first question, since
 * many who have tools never ask.
 */
export const pickTools = (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: PickOptions,
): Promise<readonly Picked[]> =>
  Effect.runPromise(
    Effect.flatMap(
      Effect.promise(() => import("./pick.ts")),
      (loaded) =>
        Effect.tryPromise({
          try: () => loaded.pickTools(query, tools, options),
          catch: (error) => error,
        }),
    ),
  );
