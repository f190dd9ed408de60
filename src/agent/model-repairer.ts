import * as Effect from "effect/Effect";
import type { Repairer, RepairQuestion } from "../types/hydration.ts";
import type { Model, ModelRequest } from "../types/model.ts";

export const modelRepairer =
  (model: () => Promise<Model>, withinMs: number): Repairer =>
  (question, options) => {
    const asked = Effect.flatMap(Effect.tryPromise(model), (chosen) => askForRepair(chosen, question));
    return Effect.runPromise(Effect.timeout(asked, withinMs), options);
  };

const askForRepair = (
  model: Model,
  { spec, text, problem }: RepairQuestion,
): Effect.Effect<string, unknown> => {
  const content = `A call of "${spec.name}" had invalid arguments.\nThe arguments: ${text}\nThe problem: ${problem}\nRepeat the same call with the same meaning and valid arguments. Do not invent values.`;
  const request: ModelRequest = {
    messages: [{ role: "user", content }],
    tools: [{ wireName: spec.name, spec }],
    settings: { toolChoice: { tool: spec.name } },
  };
  const replied = Effect.tryPromise((signal) => model.generate(request, { signal }));
  return Effect.map(replied, ({ calls, text: said }) => {
    const call = calls.find(({ tool, finish }) => tool === spec.name && finish !== "incomplete");
    if (call === undefined) return said;
    return typeof call.input === "string" ? call.input : JSON.stringify(call.input);
  });
};
