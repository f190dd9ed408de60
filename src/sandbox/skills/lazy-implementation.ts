import * as Effect from "effect/Effect";
import type { CallContext } from "../../types/call.ts";
import type { Implementation } from "../../types/tool.ts";

/** What a skill does with one validated input. */
type SkillCode<R> = (input: never, context: CallContext) => Effect.Effect<unknown, unknown, R>;

/**
 * Code that is loaded by the first call: a spec alone costs nothing. It says `ran: false` only where it has changed and
 * sent nothing, so that this is a proof.
 */
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
