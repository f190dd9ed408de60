import { LLMock } from "@copilotkit/aimock";
import { expect, it } from "vitest";
import { example } from "../../cli/haft.ts";
import { start as startIn } from "./start.ts";

/** Nothing of it is to stay in the folder of the tests. */
const start = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startIn(words, { env: { HAFT_LEDGER: "memory", ...env } });

it("in a process of its own it greets, with the answer alone on standard output", async () => {
  const { code, out } = await start(["run", example("hello-world/hello.gram"), "Hello, I'm Ada"]).ended;
  expect([code, out]).toEqual([0, "(offline planner) sayHello answered: Hello, Ada! Nice to meet you.\n"]);
});

it("writes no color into a pipe unless it is forced to, and never where NO_COLOR is set", async () => {
  const hasColor = async (env: Readonly<Record<string, string>>) =>
    (await start(["--help"], env).ended).out.includes("\u001b");
  expect([
    await hasColor({}),
    await hasColor({ FORCE_COLOR: "1" }),
    await hasColor({ FORCE_COLOR: "1", NO_COLOR: "1" }),
  ]).toEqual([false, true, false]);
});

it("with a key it asks the provider that the agent names", async () => {
  const server = new LLMock({ port: 0 });
  server.on(
    { userMessage: "Ada", hasToolResult: false },
    { toolCalls: [{ name: "sayHello", arguments: '{"name":"Ada"}' }] },
  );
  server.on({ userMessage: "Ada", hasToolResult: true }, { content: "I greeted Ada." });
  await server.start();
  const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `${server.url}/v1` };
  const { code, out, error } = await start(["run", example("hello-world/hello.gram"), "Hello, I'm Ada"], env)
    .ended;
  await server.stop();
  expect([code, out]).toEqual([0, "I greeted Ada.\n"]);
  expect(error).toContain("✓ sayHello Hello, Ada! Nice to meet you.");
});
