import { agent, type Model } from "../../../src/exports/index.ts";
import { reply, victimWorld } from "./victim-tools.ts";

/** A process for kill tests: resumes the runs of its predecessor, then starts new ones until it is killed. */
const [place = "", folder = "", seed = "", last = ""] = process.argv.slice(2);
const { write, open } = victimWorld(place, folder);

const model: Model = {
  id: "victim",
  generate: async ({ messages }) => reply(messages),
  stream: async function* ({ messages }) {
    yield { kind: "reply", reply: reply(messages) };
  },
};

const silent: Model = {
  ...model,
  generate: async () => ({ ...reply([]), text: "done", calls: [], finish: "stop" }),
};

const payer = agent({ name: "payer", instructions: "Pay.", model, tools: ["*"] });

await using haft = await open();
// Loads lazy modules now, or most kills would hit the module loading.
await haft.run(agent({ name: "warm", instructions: "Say done.", model: silent, tools: [] }), "x");
process.stdout.write(".");

for (const { runId } of await haft.runs({ status: "running" })) {
  const response = await haft.run(payer, undefined, { resume: runId });
  write("finished", response.runId);
}
if (last === "") {
  for (let number = 0; ; number++) {
    const both = [`${seed}-${number}a`, `${seed}-${number}b`].map((name) => haft.run(payer, name));
    for (const response of await Promise.all(both)) write("finished", response.runId);
  }
}
