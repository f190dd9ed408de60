import * as Effect from "effect/Effect";
import type { LedgerError } from "../../types/errors.ts";
import { toLedgerError } from "../ledger-errors.ts";

export const fromPromise = <A>(run: () => Promise<A>): Effect.Effect<A, LedgerError> =>
  Effect.tryPromise({ try: run, catch: toLedgerError });
