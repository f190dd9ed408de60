import { Haft, type McpOptions } from "haft";
import { expect, it } from "vitest";
import { toyServerConfig } from "../../kit/mcp/mcp-session-scene.ts";

it("an elicitation of a legacy server is rejected while calls of two principals are running", async () => {
  const { promise: wasAsked, resolve: tellAsked } = Promise.withResolvers<void>();
  const { promise: thinking, resolve: answerFirst } = Promise.withResolvers<void>();
  let asked = 0;
  const ask: McpOptions["ask"] = async (requests) => {
    asked++;
    tellAsked();
    await thinking;
    const answer = { action: "accept", content: { name: "Ada" } };
    return Object.fromEntries(Object.keys(requests).map((key) => [key, answer]));
  };
  const servers = { toy: toyServerConfig("legacy", { era: "legacy" }) };
  await using haft = await Haft.open({
    principal: { agent: "clerk", user: "ada", allow: ["*"] },
    policy: { approveTaintedSinks: false },
    mcp: { lock: false, servers, ask },
  });
  const question = { question: "Who?" };
  const first = haft.call("toy/ask", question);
  await wasAsked;
  const bob = haft.as({ agent: "clerk", user: "bob", allow: ["*"] });
  await expect(bob.call("toy/ask", question)).rejects.toThrow("the input request cannot be assigned to one");
  expect(asked).toBe(1);
  answerFirst();
  expect(await first).toBe("Hello Ada");
  expect(await bob.call("toy/ask", question)).toBe("Hello Ada");
});
