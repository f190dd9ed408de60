import { agent, Haft, type Message, tool } from "haft";
import { calls, type Line, says, scriptedModel } from "haft/testing";

const any = { type: "object" } as const;
export const make = (name: string, description: string, more: object = {}) =>
  tool({ name, description, input: any, run: () => `${name} ran`, ...more });

/** Its description says nothing that anybody would ask for. */
export const legacy = make("zx_lookup", "Reads ZX81.");
export const weather = make("get_weather", "Tells the weather of a city.");
const broken = make("qq_broken", "Reads QQ17.", {
  run: () => {
    throw new Error("down");
  },
});
export const letters = make("read_letters", "Opens letters.", { tags: ["untrusted"] });

export const ann = { agent: "ann", allow: ["*"] };
export const parcels = ["Where is my parcel 4711?", "Has the parcel for Anna arrived?"];
export const asked = "Is the parcel for Tom there?";

export const open = (options: object = {}) =>
  Haft.open({ tools: [legacy, weather, broken, letters], principal: ann, ...options });

export const clerk = agent({ name: "clerk", instructions: "Help.", tools: ["*"] });

/** One run: the question, the calls of the model, and its last word. */
export const run = (haft: Haft, question: string | readonly Message[], ...lines: readonly Line[]) =>
  haft.run(clerk, question, { model: scriptedModel([...lines, says("Done.")]) });

export const uses = (haft: Haft, questions: readonly string[], name = "zx_lookup") =>
  questions.reduce(
    (before, question) => before.then(() => run(haft, question, calls([name, {}])).then(() => {})),
    Promise.resolve(),
  );

export const names = (picked: readonly { readonly name: string }[]) => picked.map(({ name }) => name);
