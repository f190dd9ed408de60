import * as Effect from "effect/Effect";

/** Code that most calls never need. The first that does loads it, and those after it find it there. */
export const loadOnDemand = <Module>(load: () => Promise<Module>): Effect.Effect<Module> => {
  let loaded: Effect.Effect<Module> | undefined;
  const loading = Effect.map(Effect.promise(load), (module) => {
    loaded = Effect.succeed(module);
    return module;
  });
  return Effect.suspend(() => loaded ?? loading);
};
