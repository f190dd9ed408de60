import { randomBytes } from "node:crypto";
import { afterEach, beforeAll } from "vitest";
import { agent } from "../../../src/agent/agent.ts";
import type { FleetOptions } from "../../../src/fleet/connect-fleet.ts";
import { fleet } from "../../../src/fleet/fleet.ts";
import { openWorker, type Worker } from "../../../src/fleet/open-worker.ts";
import type { WorkerOptions } from "../../../src/fleet/worker-options.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { tool } from "../../../src/tools/tool.ts";
import type { Agent } from "../../../src/types/agent.ts";
import type { Message } from "../../../src/types/message.ts";
import type { Model, ModelReply } from "../../../src/types/model.ts";
import type { AnyTool } from "../../../src/types/tool.ts";
import { type PostgresDatabases, usePostgres } from "./use-postgres.ts";

const usage = { inputTokens: 1, outputTokens: 1 };

/** Calls `work` once with the input, and then reports its result. */
export const workOnceReply = (messages: readonly Message[]): ModelReply => {
  const answer = messages.findLast(({ role }) => role === "tool");
  const asked = messages.find(({ role }) => role === "user");
  if (answer?.role === "tool") return { text: `done: ${answer.content}`, calls: [], finish: "stop", usage };
  const input = JSON.stringify({ name: String(asked?.content) });
  return { text: "", calls: [{ id: "c1", tool: "work", input }], finish: "calls", usage };
};

export const modelReplying = (
  reply: (messages: readonly Message[]) => ModelReply | Promise<ModelReply>,
): Model => ({
  id: "scripted",
  generate: async ({ messages }) => reply(messages),
  stream: async function* ({ messages }) {
    yield { kind: "reply", reply: await reply(messages) };
  },
});

const createWorkTool = (run: (name: string) => unknown, more: object): AnyTool =>
  tool({
    name: "work",
    description: "Works.",
    input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    ...more,
    run: async (input) => run((input as { readonly name: string }).name),
  });

export const workTool = (run: (name: string) => unknown): AnyTool => createWorkTool(run, {});

/** The same tool with required approval. */
export const approvalWorkTool = (run: (name: string) => unknown): AnyTool =>
  createWorkTool(run, { requiresApproval: true });

export const clerkAgent = (more: Partial<Parameters<typeof agent>[0]> = {}): Agent =>
  agent({
    name: "clerk",
    instructions: "Work.",
    model: modelReplying(workOnceReply),
    tools: ["work"],
    ...more,
  });

export interface FleetRuntimeOptions {
  readonly url: string;
  readonly tools?: readonly AnyTool[];
  readonly tenant?: string;
  readonly fleet?: FleetOptions;
  readonly policy?: object;
}

/** Runtimes and workers over one database each, closed when their test ends. */
export const fleetScene = () => {
  const databases: PostgresDatabases = usePostgres();
  const opened: AsyncDisposable[] = [];
  beforeAll(() => {
    process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
  });
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });
  const open = async ({
    url,
    tools = [],
    tenant,
    fleet: options = {},
    policy,
  }: FleetRuntimeOptions): Promise<Haft> => {
    const haft = await Haft.open({
      tools,
      ledger: url,
      principal: { agent: "front", allow: ["*"], ...(tenant === undefined ? {} : { tenant }) },
      fleet: fleet(options),
      ...(policy === undefined ? {} : { policy }),
    } as never);
    opened.push(haft);
    return haft as unknown as Haft;
  };
  const work = async (haft: Haft, options: WorkerOptions): Promise<Worker> => {
    const worker = await openWorker(haft, { sweepMs: 200, graceMs: 5_000, ...options });
    opened.push(worker);
    return worker;
  };
  const newDatabase = (): Promise<string> => databases.withQueue();
  /** A submitting runtime and a working one over one database. */
  const openTwo = async (...tools: readonly AnyTool[]) => {
    const url = await newDatabase();
    const [front, back] = [await open({ url, tools }), await open({ url, tools })];
    return { url, front, back };
  };
  return { world: databases, open, work, fresh: newDatabase, two: openTwo };
};
