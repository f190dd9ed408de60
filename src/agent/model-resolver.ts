import * as Effect from "effect/Effect";
import { onFirstUse } from "../credentials/on-first-use.ts";
import type { Agent } from "../words/agent.ts";
import { ConfigurationError, type ToolError } from "../words/errors.ts";
import type { Model } from "../words/model.ts";
import { toToolError } from "./to-tool-error.ts";

/** The model somebody named, else the runtime's own. */
export const modelsBy = (own: Model | string | undefined) => {
  const byName = new Map<string, () => Promise<Model>>();
  const lazily = (model: Model | string): (() => Promise<Model>) => {
    if (typeof model !== "string") return lazyModel(model);
    const lazy = byName.get(model) ?? lazyModel(model);
    byName.set(model, lazy);
    return lazy;
  };
  return (named: Model | string | undefined, agent: Agent): Effect.Effect<Model, ToolError> => {
    const model = named ?? own;
    if (model === undefined) return Effect.fail(noModel(agent));
    return Effect.tryPromise({ try: lazily(model), catch: toToolError });
  };
};

const noModel = ({ name }: Agent): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The agent "${name}" has no model. Name one: agent({ model: "openai/…" }), haft.run(…, { model }) or Haft.open({ model }). With no key, "offline" answers by plain rules.`,
  );

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
