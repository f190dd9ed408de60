import * as Effect from "effect/Effect";
import type { CallContext, ToolFunction } from "../types/call.ts";
import type { Implementation } from "../types/tool.ts";

export type RunFunction = (input: never, context: CallContext) => unknown;

/** Exceptions and rejections are failures of the tool. */
export const runImplementation = <R = never>(run: RunFunction): Implementation<R> => {
  const bound = toRun(run) as ToolFunction<R>;
  return Object.freeze({ _tag: "function", bind: () => bound });
};

const toRun =
  (run: RunFunction): ToolFunction<unknown> =>
  (input, context) => {
    try {
      const answer = run(input as never, context);
      if (Effect.isEffect(answer)) return answer;
      if (answer instanceof Promise) return answer;
      return isThenable(answer) ? Promise.resolve(answer) : Effect.succeed(answer);
    } catch (thrown) {
      return Effect.fail(thrown);
    }
  };

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly then?: unknown }).then === "function";
