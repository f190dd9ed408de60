import type { Effect } from "effect/Effect";
import { runInRuntime } from "../runtime/run-in-runtime.ts";
import { valueOrThrow } from "../runtime/runtime-errors.ts";
import type { SharedRuntime } from "../runtime/shared-runtime.ts";

export const runOrThrow = <A, E>(shared: SharedRuntime, effect: Effect<A, E>): Promise<A> =>
  runInRuntime(shared, effect, valueOrThrow);
