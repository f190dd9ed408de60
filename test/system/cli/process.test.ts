import { LLMock } from "@copilotkit/aimock";
import { expect, it } from "vitest";
import { example } from "../../cli/haft.ts";
import { start as startIn } from "./start.ts";

/** Runs without a ledger file, so that nothing stays in the test folder. */
const start = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startIn(words, { env: { HAFT_LEDGER: "memory", ...env } });

it("haft run prints only the answer on standard output", async () => {
  const { code, out } = await start(["run", example("hello-world/hello.gram"), "Hello, I'm Ada"]).ended;
  expect([code, out]).toEqual([0, "(offline planner) sayHello answered: Hello, Ada! Nice to meet you.\n"]);
});

it("writes no color to a pipe unless FORCE_COLOR is set, and never with NO_COLOR", async () => {
  const hasColor = async (env: Readonly<Record<string, string>>) =>
    (await start(["--help"], env).ended).out.includes("\u001b");
  expect([
    await hasColor({}),
    await hasColor({ FORCE_COLOR: "1" }),
    await hasColor({ FORCE_COLOR: "1", NO_COLOR: "1" }),
  ]).toEqual([false, true, false]);
});

it("calls the provider that the agent names when its key is set", async () => {
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
