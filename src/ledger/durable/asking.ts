import * as Effect from "effect/Effect";
import type { LedgerError } from "../../words/errors.ts";
import { toLedgerError } from "../refusals.ts";

export const asking = <A>(question: () => Promise<A>): Effect.Effect<A, LedgerError> =>
  Effect.tryPromise({ try: question, catch: toLedgerError });
