import { Haft, tool } from "haft";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.unstubAllEnvs());

it("masks HAFT_LEDGER_KEY and HAFT_OPERATOR_SECRET in replies and in the ledger", async () => {
  const keys = [Buffer.alloc(32, 5).toString("base64"), Buffer.alloc(32, 6).toString("base64")];
  const operator = "operator-secret-1234567890";
  vi.stubEnv("HAFT_LEDGER_KEY", keys.join(","));
  vi.stubEnv("HAFT_OPERATOR_SECRET", operator);
  const print = tool({
    name: "print_environment",
    description: "Prints the environment",
    input: { type: "object" },
    run: () => `${operator} ${keys.join(",")} ${keys[1]}`,
  });
  await using haft = await Haft.open({ tools: [print], principal: { agent: "a", allow: ["*"] } });
  const [reply] = await haft.turn([{ id: "c", tool: "print_environment", input: { text: operator } }]);
  const entries = JSON.stringify(await haft.log());
  for (const secret of [operator, ...keys]) {
    expect(reply?.text).not.toContain(secret);
    expect(entries).not.toContain(secret);
  }
});
