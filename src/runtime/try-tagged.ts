import * as Effect from "effect/Effect";
import { toOptionsError } from "../agent/to-options-error.ts";
import { type AnyToolError, toTaggedError } from "../types/errors.ts";

export const thrownToTaggedError = (error: unknown): AnyToolError => toTaggedError(toOptionsError(error));

export const tryTagged = <A>(body: () => A): Effect.Effect<A, AnyToolError> =>
  Effect.try({ try: body, catch: thrownToTaggedError });
