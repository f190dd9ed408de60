import type { Effect } from "effect/Effect";
import type { CallContext, ToolFunction } from "../types/call.ts";
import type { Implementation } from "../types/tool.ts";

export interface EffectCode<In, R> {
  readonly execute: (input: In, context: CallContext) => Effect<unknown, unknown, R>;
}

export const effectImplementation = <In, R = never>(code: EffectCode<In, R>): Implementation<R> =>
  Object.freeze({ _tag: "effect", bind: (): ToolFunction<R> => code.execute as ToolFunction<R> });
