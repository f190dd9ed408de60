import * as Effect from "effect/Effect";
import type { Pickable, PickedTool, PickOptions } from "./pick-options.ts";

/**
 * Returns the tools that fit a query best: at most `maxCandidates`, best first. Imports the search on the
 * first query.
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
