import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agent } from "../../../../src/agent/agent.ts";
import { Haft } from "../../../../src/runtime/haft.ts";
import { openHttpHost } from "../../../../src/server/http/http-host.ts";
import { mountStudio } from "../../../../src/server/http/mount-studio.ts";
import { studio } from "../../../../src/server/studio-api/studio.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { experimentResult, experimentRun } from "../../../kit/experiment-result.ts";
import { hostileTexts } from "../../../kit/hostile-texts.ts";
import { calls, says, scriptedModel } from "../../../kit/scripted-model.ts";
import { listingServer } from "../../kit/mcp/gateway-scene.ts";

const text = { type: "string" } as const;
const all = hostileTexts.join(" ");
/** Descriptions of local tools may not hide anything; those of servers may. */
const seen = hostileTexts.slice(0, 25).join(" ");
const long = `<script>hit()</script>${"5 MB ".repeat(1_048_576)}`;

/** Puts hostile texts into names, descriptions, schemas, arguments, results, errors, models and servers. */
export const openHostileScene = async (folder: string, assets: string) => {
  const odd = Object.fromEntries(
    hostileTexts.filter((each) => each !== "__proto__").map((each) => [each, { ...text, description: each }]),
  );
  const echo = tool({
    name: "echo",
    description: seen,
    annotations: { readOnly: true, title: hostileTexts[1]! },
    input: {
      type: "object",
      properties: { text: { ...text, title: hostileTexts[0]!, default: hostileTexts[2]! } },
    },
    run: ({ text: given }) => ({ text: given, again: [given] }),
  });
  const floods = tool({
    name: "floods",
    description: "Says much.",
    annotations: { readOnly: true },
    input: { type: "object" },
    run: () => long,
  });
  const breaks = tool({
    name: "breaks",
    description: "Breaks.",
    annotations: { readOnly: true },
    input: { type: "object", properties: odd },
    run: (given): never => {
      throw new Error(Object.values(given).join(" "));
    },
  });
  const asks = tool({
    name: "asks",
    description: seen,
    requiresApproval: true,
    input: {
      type: "object",
      properties: { text, choice: { enum: [...hostileTexts.slice(0, 20)] } },
    },
    run: () => ({}),
  });
  const remote = hostileTexts.map((each, at) => ({
    name: `t${at}`,
    title: each,
    description: each,
    inputSchema: { type: "object", properties: { a: { type: "string", description: each } } },
    annotations: { readOnlyHint: true, title: each },
  }));
  const named = hostileTexts.map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
  const results = Object.fromEntries(
    hostileTexts.map((each, at) => [`t${at}`, { content: [{ type: "text", text: each }] }]),
  );
  const [agentName, user, tenant, session] = hostileTexts;
  const principal = {
    agent: agentName!,
    user: user!,
    tenant: tenant!,
    session: session!,
    allow: ["*", "**"],
  };
  const haft = (await Haft.open({
    tools: [echo, floods, breaks, asks] as never,
    principal,
    ledger: `sqlite:${join(folder, "hostile.db")}`,
    approver: () => undefined,
    config: { ledger: { keepPayloads: true } },
    mcp: {
      lock: join(folder, "haft.lock"),
      waitMs: 60_000,
      servers: { hostile: listingServer({ tools: remote, results }), named: listingServer({ tools: named }) },
    },
  } as never)) as unknown as Haft;
  for (const each of hostileTexts) await haft.turn([{ id: each, tool: "echo", input: { text: each } }]);
  await haft.turn([
    { id: "long-input", tool: "echo", input: { text: long } },
    { id: "long-result", tool: "floods", input: {} },
  ]);
  for (const each of hostileTexts.slice(0, 30)) {
    if (each !== "__proto__") await haft.turn([{ id: `b ${each}`, tool: "breaks", input: { [each]: each } }]);
  }
  await haft.turn([{ id: "n", tool: hostileTexts[0]!, input: hostileTexts[0]! }]);
  for (const each of hostileTexts)
    await haft.turn([{ id: `a ${each}`, tool: "asks", input: { text: each } }]);
  const model = scriptedModel([calls(["echo", { text: all }]), says(all), says(all)]);
  const chatty = agent({
    name: hostileTexts[1]!,
    description: all,
    instructions: all,
    model,
    tools: ["echo", "asks"],
  });
  const { runId } = await haft.run(chatty, all);
  const experiments = join(folder, "results");
  const result = experimentResult([
    experimentRun(hostileTexts[0]!, "q"),
    experimentRun(hostileTexts[1]!, "q"),
  ]);
  mkdirSync(experiments);
  writeFileSync(join(experiments, "a.json"), JSON.stringify({ ...result, agent: all, verdict: all }));
  const page = studio(haft, { agents: [chatty], experiments: [experiments], assets });
  const host = await openHttpHost({
    mcp: { fetch: async () => new Response("", { status: 404 }), close: async () => {} },
    port: 0,
    auth: { kind: "none", principal },
    ...mountStudio(page, "", "none"),
  });
  const origin = `http://127.0.0.1:${host.port}`;
  return {
    haft,
    origin,
    runId,
    link: (name: string) => origin + page.link(name),
    close: async () => {
      await page.close();
      await host.close();
      await haft.close();
    },
  };
};
