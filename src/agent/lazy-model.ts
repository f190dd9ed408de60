import * as Effect from "effect/Effect";
import { onFirstUse } from "../credentials/on-first-use.ts";
import type { Model } from "../words/model.ts";

/** A model by name is looked for when it is first needed. */
export const lazyModel = (model: Model | string): (() => Promise<Model>) =>
  typeof model === "string" ? onFirstUse(() => choose(model)) : () => Promise.resolve(model);

/** Loaded with the first model that is chosen by name: whoever brings a model needs none of it. */
const choose = (name: string): Promise<Model> =>
  Effect.runPromise(
    Effect.flatMap(
      Effect.promise(() => import("../models/choose-model.ts")),
      ({ chooseModel }) => Effect.tryPromise({ try: () => chooseModel(name), catch: (error) => error }),
    ),
  );
