// A tool without a word of the query is found, because it answered similar queries before.
import assert from "node:assert/strict";
import { agent, Haft, tool } from "haft";
//#region scorer
import { usageScorer } from "haft/selection";
//#endregion
import { calls, says, scriptedModel } from "haft/testing";

const haft = await Haft.open({
  tools: [
    tool({
      name: "zx_lookup",
      description: "Reads ZX81.",
      input: { type: "object" },
      run: () => "It is in the cellar.",
    }),
  ],
  principal: { agent: "clerk", allow: ["*"] },
});
const clerk = agent({ name: "clerk", instructions: "Help.", tools: ["*"] });

//#region scorer
const scorer = usageScorer(haft);
//#endregion

/** Stands in for a model that has found the tool. */
const ask = (question: string) =>
  haft.run(clerk, question, { model: scriptedModel([calls(["zx_lookup", {}]), says("In the cellar.")]) });

//#region pick
const question = "Is the parcel for Tom there?";
assert.deepEqual(await haft.pick(question, { scorer }), []); // no word of it is in the tool

await ask("Where is my parcel 4711?");
await ask("Has the parcel for Anna arrived?");

const [best] = await haft.pick(question, { scorer });
assert.equal(best?.name, "zx_lookup");
assert.equal(best.reason, 'answered "Where is my parcel 4711?" before, and 1 like it');
//#endregion

//#region note
// A program with its own model loop reports which tool answered.
scorer.note("Can you look for a parcel?", ["zx_lookup"]);
//#endregion

await haft.close();
