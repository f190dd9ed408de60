import type { Effect } from "effect/Effect";
import type { CallContext, ToolFunction } from "../types/call.ts";
import type { Implementation } from "../types/tool.ts";

/** Code that is an Effect from the start; the services it requires are the runtime's to provide. */
export interface EffectCode<In, R> {
  readonly execute: (input: In, context: CallContext) => Effect<unknown, unknown, R>;
}

/** The validated input reaches `execute` as it is: its type is the author's word, as the schema's is. */
export const effectImplementation = <In, R = never>(code: EffectCode<In, R>): Implementation<R> =>
  Object.freeze({ _tag: "effect", bind: (): ToolFunction<R> => code.execute as ToolFunction<R> });
