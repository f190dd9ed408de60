import * as Effect from "effect/Effect";
import { openOnce } from "../base/credentials/open-once.ts";
import type { Agent } from "../types/agent.ts";
import { ConfigurationError, type ToolError } from "../types/errors.ts";
import type { Model } from "../types/model.ts";
import { toOptionsError } from "./to-options-error.ts";

export const modelResolver = (own: Model | string | undefined) => {
  const byName = new Map<string, () => Promise<Model>>();
  const lazily = (model: Model | string): (() => Promise<Model>) => {
    if (typeof model !== "string") return lazyModel(model);
    const lazy = byName.get(model) ?? lazyModel(model);
    byName.set(model, lazy);
    return lazy;
  };
  return (named: Model | string | undefined, agent: Agent): Effect.Effect<Model, ToolError> => {
    const model = named ?? own;
    if (model === undefined) return Effect.fail(noModelError(agent));
    return Effect.tryPromise({ try: lazily(model), catch: toOptionsError });
  };
};

const noModelError = ({ name }: Agent): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The agent "${name}" has no model. Set one: agent({ model: "openai/…" }), haft.run(…, { model }) or Haft.open({ model }). "offline" needs no key and answers by fixed rules.`,
  );

export const lazyModel = (model: Model | string): (() => Promise<Model>) =>
  typeof model === "string" ? openOnce(() => importModel(model)) : () => Promise.resolve(model);

/** Loaded on demand, because programs with their own model do not need it. */
const importModel = (name: string): Promise<Model> =>
  Effect.runPromise(
    Effect.flatMap(
      Effect.promise(() => import("../models/choose-model.ts")),
      ({ chooseModel }) => Effect.tryPromise({ try: () => chooseModel(name), catch: (error) => error }),
    ),
  );
