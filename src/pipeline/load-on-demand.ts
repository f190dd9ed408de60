import * as Effect from "effect/Effect";

export const loadOnDemand = <Module>(load: () => Promise<Module>): Effect.Effect<Module> => {
  let loaded: Effect.Effect<Module> | undefined;
  const loading = Effect.map(Effect.promise(load), (module) => {
    loaded = Effect.succeed(module);
    return module;
  });
  return Effect.suspend(() => loaded ?? loading);
};
