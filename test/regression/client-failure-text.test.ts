import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Haft, tool } from "haft";
import { serveStdio } from "haft/mcp";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "haft-words-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
}

it("a gateway client reads only the text of a failure that models may read", async () => {
  const refund = tool({
    name: "refund",
    description: "Pays back",
    input: { type: "object" } as const,
    requiresApproval: true,
    run: () => "paid",
  });
  await using haft = await Haft.open({
    tools: [refund],
    principal: { agent: "tester", allow: ["*"] },
    ledger: `sqlite:${join(folder, "ledger.db")}`,
  });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const answered = Promise.withResolvers<Message>();
  const say = (message: object): boolean =>
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  /** An operator answers before the client's user, so that the user's answer finds no open request. */
  const answerTwice = async (id: unknown): Promise<void> => {
    const [approval] = await haft.approvals();
    await haft.resume(approval?.id ?? "", { kind: "deny", reason: "No." });
    say({ id, result: { action: "accept", content: { approve: false } } });
  };
  let rest = "";
  stdout.on("data", (chunk) => {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      if (message.method === "elicitation/create") void answerTwice(message.id);
      else if (message.id === 1) answered.resolve(message);
    }
  });
  const connection = await serveStdio(haft, { stdin, stdout, approvals: "client" });
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo };
  say({ id: 0, method: "initialize", params });
  say({ method: "notifications/initialized" });
  say({ id: 1, method: "tools/call", params: { name: "refund", arguments: {} } });
  const { result } = await answered.promise;
  expect(result?.isError).toBe(true);
  expect(result?.content[0]?.text).toBe(
    'Error: The tool "refund" is not available right now. Continue without it.',
  );
  await connection.close();
});
