import { parseArgs } from "node:util";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { agent, Haft, tool } from "../dist/index.js";
import { codeMode } from "../dist/sandbox.js";
import { calls, type ScriptedModel, says, scriptedModel } from "../dist/testing.js";
import { catalog } from "../examples/26-two-thousand-tools/catalog.ts";
import { table } from "./numbers.ts";

/**
 * Counts the tokens of one question answered by single tool calls and by a program. Both models are scripted
 * and make no mistake.
 */
const { values } = parseArgs({
  options: { orders: { type: "string", default: "40" }, json: { type: "boolean", default: false } },
});
const perMonth = Number(values.orders);

const integer = { type: "integer" } as const;
const orders = tool({
  name: "list_orders",
  description: "The orders of a month",
  input: { type: "object", properties: { month: integer }, required: ["month"] } as const,
  output: {
    type: "array",
    items: {
      type: "object",
      properties: { id: integer, customer: { type: "string" }, cents: integer },
      required: ["id", "customer", "cents"],
    },
  } as const,
  annotations: { readOnly: true },
  run: ({ month }) =>
    Array.from({ length: perMonth }, (_, index) => ({
      id: month * 1_000 + index,
      customer: ["ada", "bob", "eve"][index % 3]!,
      cents: 1_000 + ((index * 7_919) % 5_000),
    })),
});
const isRefunded = tool({
  name: "is_refunded",
  description: "Whether an order was paid back",
  input: { type: "object", properties: { id: integer }, required: ["id"] } as const,
  output: { type: "boolean" },
  annotations: { readOnly: true },
  run: ({ id }) => id % 10 === 0,
});
const sendReport = tool({
  name: "send_report",
  description: "Sends a report to the board",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const,
  run: () => ({ sent: true }),
});
const tools = [orders, isRefunded, sendReport];

const source = `const months = await Promise.all([1, 2, 3].map((month) => tools.list_orders({ month })));
const all = months.flat();
const refunded = await Promise.all(all.map(({ id }) => tools.is_refunded({ id })));
const totals = {};
all.forEach(({ customer, cents }, i) => {
  if (!refunded[i]) totals[customer] = (totals[customer] ?? 0) + cents;
});
const [best] = Object.entries(totals).sort((a, b) => b[1] - a[1]);
await tools.send_report({ text: \`Best customer: \${best[0]}, \${best[1]} cents\` });
return best;`;

const ids = [1, 2, 3].flatMap((month) =>
  Array.from({ length: perMonth }, (_, index) => month * 1_000 + index),
);
const last = says("The best customer was ada. The board has the report.");
const models = {
  "one by one": scriptedModel([
    calls(...[1, 2, 3].map((month) => ["list_orders", { month }] as const)),
    calls(...ids.map((id) => ["is_refunded", { id }] as const)),
    calls(["send_report", { text: "Best customer: ada, 123456 cents" }]),
    last,
  ]),
  "code mode": scriptedModel([calls(["run-code", { source }]), last]),
};

const haft = await Haft.open({
  tools: [...tools, codeMode({ tools, limits: { calls: 1_000 } })],
  principal: { agent: "analyst", allow: ["*"] },
});

/** All tokens that a model reads and writes in a run. */
const measure = async (
  model: ScriptedModel,
  names: readonly string[],
  runtime: Haft = haft,
  question = "Who was our best customer this quarter? Tell the board.",
  more: object = {},
) => {
  const analyst = agent({
    name: "analyst",
    instructions: "Find out what you are asked.",
    tools: names,
    model,
    ...more,
  });
  const response = await runtime.run(analyst, question);
  if (response.status !== "done") throw new Error(`the run ended as ${response.status}`);
  const read = model.requests.map(({ messages, tools: shown }) =>
    tokens(
      JSON.stringify([shown.map(({ wireName, spec }) => [wireName, spec.description, spec.input]), messages]),
    ),
  );
  const said = model.requests.at(-1)!.messages.filter(({ role }) => role === "assistant");
  const written = [...said, response.content].map((each) => tokens(JSON.stringify(each)));
  return { turns: model.requests.length, read: sum(read), written: sum(written) };
};

/** One question to an agent with 2,000 tools: with all of them shown, and with tool search. */
const measureSearch = async () => {
  const many = await Haft.open({
    tools: catalog([]),
    config: { registry: { maxTools: 2_000 } },
    principal: { agent: "analyst", allow: ["*"] },
  });
  const name = "travel_approve_expense_report";
  const approve = calls([name, { expense_report_id: "ER-2041" }]);
  const done = says("The expense report is approved.");
  const search = calls(["search_tools", { query: "approve an expense report" }]);
  const load = calls(["load_tools", { names: [name] }]);
  const question = 'Approve the expense report "ER-2041"';
  const shown = await measure(scriptedModel([approve, done]), ["*"], many, question);
  const searched = await measure(scriptedModel([search, load, approve, done]), ["*"], many, question, {
    toolSearch: true,
  });
  await many.close();
  return { "all shown": shown, searched };
};

const tokens = (text: string): number => encode(text).length;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const results = {
  "one by one": await measure(
    models["one by one"],
    tools.map(({ spec }) => spec.name),
  ),
  "code mode": await measure(models["code mode"], ["run-code"]),
};
await haft.close();
const selection = await measureSearch();
const print = (
  title: string,
  measured: Readonly<Record<string, Awaited<ReturnType<typeof measure>>>>,
): void => {
  console.log(title);
  const rows = Object.entries(measured).map(([name, { turns, read, written }]) =>
    [name, turns, read, written].map((each) =>
      typeof each === "number" ? each.toLocaleString("en-US") : each,
    ),
  );
  console.log(table([["", "turns", "read", "written"], ...rows]));
};
if (values.json) console.log(JSON.stringify({ ...results, ...selection }, null, 2));
else {
  print(`tokens (o200k) of one question over ${3 * perMonth} orders and three tools`, results);
  print("\ntokens (o200k) of one question to an agent with 2,000 tools", selection);
}
