import * as Effect from "effect/Effect";
import { toOptionsError } from "../agent/to-options-error.ts";
import { type AnyToolError, toTaggedError } from "../types/errors.ts";

/** What is thrown while options are made sense of, as the tagged error that it is. */
export const thrownToTaggedError = (error: unknown): AnyToolError => toTaggedError(toOptionsError(error));

/** Runs code that may throw a ToolError. */
export const tryTagged = <A>(body: () => A): Effect.Effect<A, AnyToolError> =>
  Effect.try({ try: body, catch: thrownToTaggedError });
