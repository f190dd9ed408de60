// An agent with 2,000 tools whose model is shown two at first: it searches, loads the one it needs, and calls
// it.
import assert from "node:assert/strict";
//#region agent
import { agent, Haft } from "haft";
import { catalog } from "./catalog.ts";
//#endregion
import { counting } from "./counting.ts";

//#region agent
const used: string[] = [];
const haft = await Haft.open({
  tools: catalog(used), // 25 systems, 10 resources each, 8 actions each
  config: { registry: { maxTools: 2_000 } },
  principal: { agent: "clerk", allow: ["*"] },
});

const clerk = agent({
  name: "clerk",
  instructions: "Do what you are asked with the tools of the company.",
  model: "offline", // or "openai/gpt-5", "anthropic/…": any model
  tools: ["*"],
  toolSearch: true,
});
//#endregion

const total = (sent: readonly number[]): string =>
  sent.reduce((sum, each) => sum + each, 0).toLocaleString("en-US");

//#region run
const question = 'Approve the expense report "ER-2041"';
const searched: number[] = [];
const response = await haft.run(clerk, question, { model: counting(searched) });

assert.deepEqual(
  response.toolsUsed.map(({ name }) => name),
  ["search_tools", "load_tools", "travel_approve_expense_report"],
);
assert.deepEqual(used, ["travel_approve_expense_report"]);
//#endregion
assert.match(response.content, /travel_approve_expense_report answered/);
assert.deepEqual(response.toolsUsed[2]?.arguments, { expense_report_id: "ER-2041" });

//#region cache
// The tool list only grows at its end, which preserves the provider's prompt cache.
const shown: string[][] = [];
const watching = counting([]);
await haft.run(clerk, question, {
  model: {
    ...watching,
    generate: (request) => {
      shown.push(request.tools.map(({ wireName }) => wireName));
      return watching.generate(request);
    },
  },
});
assert.deepEqual(shown, [
  ["load_tools", "search_tools"],
  ["load_tools", "search_tools"],
  ["load_tools", "search_tools", "travel_approve_expense_report"],
  ["load_tools", "search_tools", "travel_approve_expense_report"],
]);
//#endregion

//#region always
const desk = agent({
  ...clerk,
  toolSearch: {
    always: ["helpdesk_get_support_ticket"], // shown from the start
    maxCandidates: 5, // results per search
    minScore: 0.05, // minimum score
    maxLoaded: 30, // maximum per conversation
    by: "provider", // Anthropic and OpenAI search themselves; for others Haft does
  },
});
//#endregion
haft.on("tools.search-fallback", ({ model }) => assert.equal(model, "offline/planner"));
const ticket = await haft.run(desk, 'Get the support ticket "T-9"');
assert.deepEqual(
  ticket.toolsUsed.map(({ name }) => name),
  ["helpdesk_get_support_ticket"],
);

//#region rights
const restricted = haft.as({ agent: "clerk", allow: ["library_*", "calendar_*"] });
const refused = await restricted.run(clerk, question);
assert.ok(refused.toolsUsed.every(({ name }) => name !== "travel_approve_expense_report"));
//#endregion

//#region budget
const budgeted = await haft.offer({
  format: "anthropic",
  maxTokens: 2_000,
  query: "approve an expense report",
});
assert.ok(budgeted.tools.some(({ name }) => name === "travel_approve_expense_report"));
assert.equal(budgeted.tools.length + budgeted.leftOut.length, 2_000);
//#endregion

// The same question to an agent that is shown all tools.
const everything: number[] = [];
const { toolSearch: _, ...open } = clerk;
await haft.run(agent(open), question, { model: counting(everything) });
await haft.close();
console.log(response.content);
console.log(
  `tokens of definitions, all calls of the model: ${total(everything)} shown, ${total(searched)} searched`,
);
