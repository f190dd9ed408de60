// Tool selection for a query: by words, with an empty result, and with custom scorers.
import assert from "node:assert/strict";
//#region pick
import { Haft, pickTools, type Scorer, tool } from "haft";

const made = (name: string, description: string) =>
  tool({ name, description, input: { type: "object" }, run: () => name });
const tools = [
  made("find_film", "Finds films that are shown in a cinema near you."),
  made("book_table", "Reserves a table at a restaurant."),
  made("get_forecast", "Returns the weather forecast of a city."),
  made("send_mail", "Sends an email to a person."),
];
const haft = await Haft.open({ tools, principal: { agent: "clerk", allow: ["*"] } });

const [best] = await haft.pick("Which movies can I see tonight?");
assert.equal(best?.name, "find_film"); // no common word, but film is similar to movie
assert.ok(best.score > 0.05 && best.score <= 1);

assert.deepEqual(await haft.pick("Sharpen my pencil"), []); // no tool matches
//#endregion

//#region search
const { tools: found, wishes } = await haft.search("Reserve a table for two. Then email Ada about it.");
assert.deepEqual(
  wishes.map(({ text, tools: names }) => [text, names[0]]),
  [
    ["Reserve a table for two.", "book_table"],
    ["Then email Ada about it.", "send_mail"],
  ],
);
assert.ok(found.every(({ reason }) => reason.startsWith("shares words with its")));

const { none, confidence } = await haft.search("Sharpen my pencil");
assert.match(none ?? "", /^No tool matches/);
assert.ok(confidence < 0.05);
//#endregion

//#region scorer
const byLength: Scorer = (query, spec) => ({
  score: spec.name.length / 64, // or call a model or a service; promises are supported
  reason: `asked ${query.length} characters`,
});
const picked = await pickTools("anything", tools, { scorer: byLength, maxCandidates: 1, timeoutMs: 500 });
assert.equal(picked[0]?.name, "get_forecast");

//#endregion

//#region rank
import type { ToolRanker } from "haft/selection";

/** Prefers tools that this team uses every day, if their words match at all. */
const daily: ToolRanker = {
  name: "daily",
  rank: async ({ lexical, limit }) => ({
    tools: lexical
      .map((one) => (one.spec.name === "send_mail" ? { ...one, score: Math.min(1, one.score * 2) } : one))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit),
  }),
};
const ranked = await haft.pick("Send Bob the forecast of the weather", { scorer: daily });
assert.ok(ranked.some(({ name }) => name === "send_mail"));
//#endregion

await haft.close();
console.log(`${best.name} (${best.score.toFixed(2)}): ${best.reason}`);
