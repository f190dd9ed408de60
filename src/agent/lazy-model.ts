import { onFirstUse } from "../credentials/on-first-use.ts";
import type { Model } from "../words/model.ts";

/** A model by name is looked for when it is first needed. */
export const lazyModel = (model: Model | string): (() => Promise<Model>) =>
  typeof model === "string" ? onFirstUse(() => choose(model)) : () => Promise.resolve(model);

/** Loaded with the first model that is chosen by name: whoever brings a model needs none of it. */
const choose = async (name: string): Promise<Model> => {
  const { chooseModel } = await import("../models/choose-model.ts");
  return chooseModel(name);
};
