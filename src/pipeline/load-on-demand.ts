import * as Effect from "effect/Effect";

/** Code that most calls never need. The first that does loads it, and those after it find it there. */
export const onDemand = <Module>(load: () => Promise<Module>): Effect.Effect<Module> => {
  let there: Effect.Effect<Module> | undefined;
  const loading = Effect.map(Effect.promise(load), (module) => {
    there = Effect.succeed(module);
    return module;
  });
  return Effect.suspend(() => there ?? loading);
};
