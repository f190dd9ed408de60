import { setTimeout as sleep } from "node:timers/promises";
import { ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { tool as aiSdkTool, generateText, isStepCount, type ToolSet } from "ai";
import { createAgent } from "langchain";
import { toAiSdkTools } from "../../dist/bridges/ai-sdk.js";
import { haftMiddleware, toLangChainTools } from "../../dist/bridges/langchain.js";
import { Haft, tool } from "../../dist/index.js";
import { type Input, input, output, prompt, run, toolDescription, toolName } from "../case.ts";
import { type Turn, verified, versionOf } from "../contender.ts";
import { aiSdkModel, LangChainModel } from "./model.ts";

/** Times one turn in a separate process: `measure.ts <framework> <whose tools> <calls> <milliseconds>`. */
const [framework = "", whose = "", calls = "1", milliseconds = "500"] = process.argv.slice(2);
const count = Number(calls);

/** With policy and a ledger in memory: one conversation for all turns. */
const openSession = async () => {
  const weather = tool({
    name: toolName,
    description: toolDescription,
    input,
    output,
    annotations: { readOnly: true },
    run: async (given) => run(given),
  });
  const haft = await Haft.open({
    tools: [weather],
    principal: { agent: "bench", allow: ["*"] },
    policy: { rules: [{ effect: "allow", tools: ["*"] }] },
    ledger: "memory",
  });
  return haft.session({ id: "bench" });
};

const aiSdkTurn = async (tools: ToolSet): Promise<Turn> => {
  const model = aiSdkModel(count);
  const turn = () => generateText({ model, tools, stopWhen: isStepCount(5), prompt });
  return verified(count, turn, ({ text, steps }) => ({
    text,
    results: steps[0]?.toolResults.map((result) => result.output) ?? [],
  }));
};

const langchainTurn = async (options: object): Promise<Turn> => {
  const agent = createAgent({ ...options, model: new LangChainModel(count) });
  const turn = () => agent.invoke({ messages: [{ role: "user", content: prompt }] });
  return verified(count, turn, ({ messages }) => ({
    text: String(messages.at(-1)?.content),
    results: messages
      .filter((message) => ToolMessage.isInstance(message))
      .map((message) => JSON.parse(String(message.content))),
  }));
};

const turns: Readonly<Record<string, () => Promise<Turn>>> = {
  "ai-sdk own": () =>
    aiSdkTurn({
      [toolName]: aiSdkTool({
        description: toolDescription,
        inputSchema: input,
        outputSchema: output,
        execute: async (given) => run(given),
      }),
    }),
  "ai-sdk haft": async () => aiSdkTurn(toAiSdkTools(await openSession()) as never),
  "langchain own": () =>
    langchainTurn({
      tools: [
        langchainTool(async (given: Input) => run(given), {
          name: toolName,
          description: toolDescription,
          schema: input,
        }),
      ],
    }),
  "langchain haft": async () => langchainTurn({ tools: toLangChainTools(await openSession()) }),
  "langchain middleware": async () =>
    langchainTurn({ tools: [], middleware: [haftMiddleware(await openSession())] }),
};

const make = turns[`${framework} ${whose}`];
if (make === undefined) throw new Error(`unknown case: ${framework} with ${whose} tools`);
const turn = await make();

const runFor = async (budget: number): Promise<number> => {
  const begin = performance.now();
  let made = 0;
  let elapsed = 0;
  while (elapsed < budget) {
    await turn();
    made += 1;
    elapsed = performance.now() - begin;
  }
  return (elapsed / made) * 1000;
};

// Long enough for the JIT compiler and for the ledger in memory to fill up.
await runFor(Number(milliseconds) * 3);
await sleep(20);
const samples: number[] = [];
for (let batch = 0; batch < 5; batch += 1) samples.push(await runFor(Number(milliseconds) / 5));
samples.sort((left, right) => left - right);
const version = versionOf(framework === "ai-sdk" ? "ai" : "langchain");
process.stdout.write(`${JSON.stringify({ version, microseconds: samples[2] })}\n`, () => process.exit(0));
