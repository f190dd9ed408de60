import * as Effect from "effect/Effect";
import { toToolError } from "../agent/to-tool-error.ts";
import { type AnyToolError, toTagged } from "../words/errors.ts";

/** What is thrown while options are made sense of, as the tagged error that it is. */
export const asTagged = (error: unknown): AnyToolError => toTagged(toToolError(error));

/** Runs code that may throw a ToolError. */
export const orTagged = <A>(body: () => A): Effect.Effect<A, AnyToolError> =>
  Effect.try({ try: body, catch: asTagged });
