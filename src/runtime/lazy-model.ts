import { onFirstUse } from "../outside/on-first-use.ts";
import type { Mender } from "../words/hydration.ts";
import type { Model } from "../words/model.ts";

/** A model by name is looked for when it is first needed. */
export const lazyModel = (model: Model | string): (() => Promise<Model>) =>
  typeof model === "string" ? onFirstUse(() => choose(model)) : () => Promise.resolve(model);

/** Loaded with the first model that is chosen by name: whoever brings a model needs none of it. */
const choose = async (name: string): Promise<Model> => {
  const { chooseModel } = await import("../models/choose-model.ts");
  return chooseModel(name);
};

/** Has the model make the call once more. It is shown that one tool, and must call it. */
export const menderBy =
  (model: () => Promise<Model>): Mender =>
  async ({ spec, text, problem }, options) => {
    const chosen = await model();
    const content = `A call of "${spec.name}" had arguments that cannot be used.\nThe arguments: ${text}\nThe problem: ${problem}\nMake the same call once more, meaning the same, with arguments that are right. Invent nothing.`;
    const reply = await chosen.generate(
      {
        messages: [{ role: "user", content }],
        tools: [{ wireName: spec.name, spec }],
        settings: { toolChoice: { tool: spec.name } },
      },
      options,
    );
    const call = reply.calls.find(({ tool, finish }) => tool === spec.name && finish !== "incomplete");
    if (call === undefined) return reply.text;
    return typeof call.input === "string" ? call.input : JSON.stringify(call.input);
  };
