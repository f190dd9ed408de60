import { Ajv2020 } from "ajv/dist/2020.js";
import { agent, Haft } from "haft";
import { expect, it } from "vitest";
import type { JsonSchema } from "../src/types/json.ts";
import { type Dice, dice, rootSchema } from "./kit/random-schema.ts";
import { anyValue, likelyValue } from "./kit/random-value.ts";
import { calls, says, scriptedModel } from "./kit/scripted-model.ts";

const rounds = process.env.HAFT_SOAK === undefined ? 2_000 : 20_000;
const seed = process.env.HAFT_SOAK === undefined ? 20_261_117 : Date.now() % 1_000_000_007;

/** In this draft a format is an annotation, not a rule. */
const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });

/**
 * Damages an answer as models do: cut off, fenced, quoted, wrapped, with text around it, or with other
 * values.
 */
const spoiled = (text: string, roll: Dice): string =>
  roll.pick([
    () => text,
    () => text,
    () => text,
    () => text.slice(0, roll.below(text.length + 1)),
    () => `\`\`\`json\n${text}\n\`\`\``,
    () => `Here it is: ${text}`,
    () => JSON.stringify(text),
    () => text.replace(/"/, "'"),
    () => text.replace(/\d/, '"1"'),
    () => text.replace(/[,}\]]/, (found) => `,${found}`),
    () => JSON.stringify(anyValue(roll, 2)),
    () => "",
  ])();

it("for any schema and any model answers, an output is valid or absent", async () => {
  const haft = await Haft.open({ principal: { agent: "tester", allow: ["*"] } });
  let answered = 0;
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    const roll = dice(seed + round);
    const output = rootSchema(roll, 3);
    const asked = toAgent(output);
    if (asked === undefined) continue;
    const isWrapped = asked.output?.wrappedAs !== undefined;
    const answer = (): string => {
      const value = likelyValue(output, output, roll);
      return spoiled(JSON.stringify(isWrapped ? { answer: value } : (value ?? null)), roll);
    };
    const isHeld = roll.chance(0.5);
    const line = () => (isHeld ? says(answer()) : calls(["final_answer", answer()]));
    const model = scriptedModel([line(), line(), line()], isHeld ? { takesOutput: () => true } : {});
    const response = await haft.run(asked, "Answer", { model });
    if (response.status === "done") {
      answered += 1;
      const judge = ajv.compile(output);
      expect(judge(structuredClone(response.output)), `round ${round}: ${JSON.stringify(output)}`).toBe(true);
    } else {
      refused += 1;
      expect(response).toMatchObject({
        status: "stopped",
        reason: expect.stringContaining("does not match"),
      });
      expect("output" in response).toBe(false);
    }
  }
  expect(answered).toBeGreaterThan(rounds / 4);
  expect(refused).toBeGreaterThan(rounds / 100);
  await haft.close();
});

/** Schemas that are invalid or cannot be satisfied are refused when the agent is made. */
const toAgent = (output: JsonSchema) => {
  try {
    return agent({ name: "answerer", instructions: "Answer.", output });
  } catch {
    return undefined;
  }
};
