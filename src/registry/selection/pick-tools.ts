import * as Effect from "effect/Effect";
import type { Pickable, PickedTool, PickOptions } from "./pick-options.ts";

/**
 * Which tools fit a question best: at most `maxCandidates`, the best first. Loaded with the first question, since
 * many who have tools never ask.
 */
export const pickTools = (
  query: unknown,
  tools: readonly Pickable[],
  options?: PickOptions,
): Promise<readonly PickedTool[]> =>
  Effect.runPromise(
    Effect.flatMap(
      Effect.promise(() => import("./pick-from-source.ts")),
      (loaded) =>
        Effect.tryPromise({
          try: () => loaded.runPickTools(query, tools, options),
          catch: (error) => error,
        }),
    ),
  );
