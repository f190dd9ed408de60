import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { fakeModel, type Input, input, output, run } from "../case.ts";
import { type Contender, verified, versionOf } from "../contender.ts";

/** The minimum: parse the arguments, and validate them and the result with compiled schemas. */
export const floor: Contender = {
  name: "floor",
  version: `ajv ${versionOf("ajv")}`,
  make: async (calls) => {
    const ajv = new Ajv2020();
    const isInput = ajv.compile<Input>(z.toJSONSchema(input));
    const isOutput = ajv.compile(z.toJSONSchema(output));
    const ask = fakeModel(calls);

    const answer = async (text: string): Promise<string> => {
      const given: unknown = JSON.parse(text);
      if (!isInput(given)) throw new Error("the input is invalid");
      const result = run(given);
      if (!isOutput(result)) throw new Error("the output is invalid");
      return JSON.stringify(result);
    };

    const turn = async () => {
      const reply = await ask();
      if (reply.kind !== "calls") throw new Error("unexpected model request");
      const replies = await Promise.all(
        reply.calls.map(async (call) => ({ id: call.id, content: await answer(call.input) })),
      );
      return { replies, end: await ask() };
    };

    return verified(calls, turn, ({ replies, end }) => ({
      text: end.kind === "text" ? end.text : undefined,
      results: replies.map((reply) => JSON.parse(reply.content)),
    }));
  },
};
