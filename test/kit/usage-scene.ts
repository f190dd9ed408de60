import { agent, Haft, type Message, tool } from "haft";
import { calls, type ScriptLine, says, scriptedModel } from "haft/testing";

const any = { type: "object" } as const;
export const readOnlyTool = (name: string, description: string, more: object = {}) =>
  tool({ name, description, input: any, run: () => `${name} ran`, ...more });

/** Its description matches no query. */
export const legacyTool = readOnlyTool("zx_lookup", "Reads ZX81.");
export const weatherTool = readOnlyTool("get_weather", "Tells the weather of a city.");
const broken = readOnlyTool("qq_broken", "Reads QQ17.", {
  run: () => {
    throw new Error("down");
  },
});
export const lettersTool = readOnlyTool("read_letters", "Opens letters.", { tags: ["untrusted"] });

export const ann = { agent: "ann", allow: ["*"] };
export const parcels = ["Where is my parcel 4711?", "Has the parcel for Anna arrived?"];
export const parcelQuestion = "Is the parcel for Tom there?";

export const openWithTools = (options: object = {}) =>
  Haft.open({ tools: [legacyTool, weatherTool, broken, lettersTool], principal: ann, ...options });

export const clerk = agent({ name: "clerk", instructions: "Help.", tools: ["*"] });

/** One run: the question, the calls of the model, and its final text. */
export const runQuestion = (
  haft: Haft,
  question: string | readonly Message[],
  ...lines: readonly ScriptLine[]
) => haft.run(clerk, question, { model: scriptedModel([...lines, says("Done.")]) });

export const runQuestions = (haft: Haft, questions: readonly string[], name = "zx_lookup") =>
  questions.reduce(
    (before, question) => before.then(() => runQuestion(haft, question, calls([name, {}])).then(() => {})),
    Promise.resolve(),
  );

export const pickedNames = (picked: readonly { readonly name: string }[]) => picked.map(({ name }) => name);
