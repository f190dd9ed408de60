import * as Effect from "effect/Effect";
import type { CallContext } from "../../types/call.ts";
import type { Implementation } from "../../types/tool.ts";

type SkillCode<R> = (input: never, context: CallContext) => Effect.Effect<unknown, unknown, R>;

/** Skills must report `ran: false` only if they had no effect, because the runtime relies on it. */
export const lazyImplementation = <Module, R>(
  load: () => Promise<Module>,
  make: (module: Module) => SkillCode<R>,
): Implementation<R> => {
  let made: SkillCode<R> | undefined;
  const loaded = Effect.map(Effect.promise(load), (module) => {
    made ??= make(module);
    return made;
  });
  return Object.freeze({
    _tag: "builtin",
    provesNotRun: true,
    bind: () => (input: unknown, context: CallContext) =>
      Effect.flatMap(made === undefined ? loaded : Effect.succeed(made), (code) =>
        code(input as never, context),
      ),
  });
};
