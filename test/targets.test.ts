import { Haft, tool } from "haft";
import { expect, it } from "vitest";
import { registry } from "../src/catalog/registry.ts";
import { policy } from "../src/policy/policy.ts";
import { cpuTime } from "./kit/cpu-time.ts";
import { npmServer } from "./system/mcp/gateway-child.ts";

// Targets a hundred times above what is measured in bench/: a test that fails here is broken, not slow.
const median = (work: () => unknown): number => {
  const times = Array.from({ length: 101 }, () => {
    const begin = cpuTime();
    work();
    return cpuTime() - begin;
  });
  return times.sort((one, other) => one - other)[50]!;
};

const named = (name: string) =>
  tool({
    name,
    description: "Looks something up",
    input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    run: () => 1,
  });

const thousand = Array.from({ length: 1_000 }, (_, index) => named(`tool_${index}`));

it("among a thousand tools, look-up takes less than 1 ms, validation less than 2 ms, authorization less than 5 ms", () => {
  const tools = registry();
  const [first] = tools.registerAll(thousand);
  const judge = policy({ rules: [{ effect: "allow", tools: ["tool_*"] }] });
  const principal = { agent: "tester", allow: ["*"] };
  expect(median(() => tools.resolve("tool_777"))).toBeLessThan(1);
  expect(median(() => first!.tool.input({ key: "a" }))).toBeLessThan(2);
  const request = { principal, registration: first!, input: { key: "a" }, validated: true };
  expect(median(() => judge.decide(request))).toBeLessThan(5);
});

it("all of a thousand tools are exported again in less than 5 ms", async () => {
  const haft = await Haft.open({ tools: thousand, principal: { agent: "tester", allow: ["*"] } });
  for (const format of ["openai", "openai-responses", "anthropic", "ollama", "gemini", "mcp"] as const) {
    expect(median(() => haft.offer({ format }))).toBeLessThan(5);
  }
});

it("a server from npm is connected in less than 10 s, and its tools answer in less than 5 s", async () => {
  const haft = await Haft.open({ principal: { agent: "tester", allow: ["*"] } });
  const begin = cpuTime();
  const { status } = await haft.mcp.connect({ id: "memory", ...npmServer("server-memory") });
  expect(status).toBe("connected");
  expect(cpuTime() - begin).toBeLessThan(10_000);
  const called = cpuTime();
  await haft.call("memory/read_graph", {});
  expect(cpuTime() - called).toBeLessThan(5_000);
  await haft.close();
});

it("a built-in tool reads a file and lists a folder in less than 100 ms of work", async () => {
  const principal = { agent: "tester", allow: ["*"] };
  await using haft = await Haft.open({ skills: ["file-read", "file-list"], principal });
  const times: number[] = [];
  for (let round = 0; round < 21; round++) {
    const begin = cpuTime();
    await haft.call("file-read", { path: "package.json" });
    await haft.call("file-list", { path: "src" });
    times.push(cpuTime() - begin);
  }
  expect(times.sort((one, other) => one - other)[10]).toBeLessThan(100);
});
