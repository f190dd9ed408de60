import type { Effect } from "effect/Effect";
import { orThrow } from "../runtime/cancelled.ts";
import { runIn } from "../runtime/run-in.ts";
import type { Shared } from "../runtime/shared.ts";

/** Asks the runtime's ledger, and throws what it fails with. */
export const ask = <A, E>(shared: Shared, effect: Effect<A, E>): Promise<A> => runIn(shared, effect, orThrow);
