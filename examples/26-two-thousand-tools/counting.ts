import type { Model } from "haft";
import { estimateTokens } from "haft/agent";
import { offline } from "haft/models";

/** The offline model, which records the approximate tokens of the definitions in each request. */
export const counting = (sent: number[]): Model => {
  const model = offline();
  return {
    ...model,
    generate: (request) => {
      const spelled = request.tools.map(({ wireName, spec }) => ({
        name: wireName,
        description: spec.description,
        input_schema: spec.input,
      }));
      sent.push(estimateTokens(JSON.stringify(spelled)));
      return model.generate(request);
    },
  };
};
