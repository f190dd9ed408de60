// From a provider's reply to a call that runs: read, hydrate, inspect, run. Repaired arguments need approval.
//#region read
import assert from "node:assert/strict";
import { Haft, hydrate, tool } from "haft";
import { collectCalls, offline, readCalls } from "haft/models";
import { z } from "zod";

const body = {
  object: "response",
  status: "completed",
  output: [
    {
      type: "function_call",
      call_id: "call_1",
      name: "send_money",
      arguments: "{'to': 'Ada', 'amount': '40',}", // written like Python
    },
    { type: "function_call", call_id: "call_2", name: "get_balance", arguments: '{"acount":7}' },
    { type: "function_call", call_id: "call_3", name: "send_mony", arguments: "{}" },
  ],
};
const calls = readCalls("openai-responses", body);
assert.deepEqual(calls[1], {
  id: "call_2",
  tool: "get_balance",
  input: '{"acount":7}', // exactly as it was sent
  index: 1,
  part: "/output/1", // its position in the reply
  finish: "complete",
});
//#endregion

//#region collect
const delta = (partial_json: string) => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "input_json_delta", partial_json },
});
const block = { type: "tool_use", id: "toolu_1", name: "send_money", input: {} };
const [cut] = collectCalls("anthropic", [
  { type: "content_block_start", index: 0, content_block: block },
  delta('{"to":"Ada",'),
  delta('"amount":4'), // the connection broke here: was it 4, 40 or 400?
]);
assert.equal(cut?.finish, "incomplete");
//#endregion

//#region tools
const sent: unknown[] = [];
const send = tool({
  name: "send_money",
  description: "Sends money to an account",
  input: z.object({ to: z.string(), amount: z.int().positive() }),
  run: (input) => {
    sent.push(input);
    return `sent ${input.amount} to ${input.to}`;
  },
});

const balance = tool({
  name: "get_balance",
  description: "The balance of an account",
  input: z.object({ account: z.int() }),
  annotations: { readOnly: true },
  run: ({ account }) => `account ${account} has 100`,
});
//#endregion

//#region pure
const refused = hydrate(cut, send.spec, { repair: "deterministic" });
assert.equal(refused.success, false);
assert.match(refused.errors[0]?.message ?? "", /cut off, so the call did not run/);
//#endregion

//#region hydrate
const haft = await Haft.open({
  tools: [send, balance],
  principal: { agent: "bank", allow: ["*"] },
  approver: () => undefined, // approvals are answered later
});
const [money, read, unknown] = await haft.hydrate(calls, { repair: "deterministic" });
assert.deepEqual(sent, []); // nothing has run yet
//#endregion
assert.match(unknown?.errors[0]?.message ?? "", /no tool named "send_mony". Did you mean send_money\?/);

//#region provenance
assert.equal(money?.provenance.originalRawArgs, "{'to': 'Ada', 'amount': '40',}");
assert.deepEqual(money.provenance.validated, { to: "Ada", amount: 40 });
assert.equal(money.provenance.repaired, true);
assert.deepEqual(money.provenance.changes.at(-1), {
  stage: "value",
  pointer: "/amount",
  from: '"40"',
  to: "40",
});
//#endregion

//#region run
assert.equal(await read?.tool?.run(), "account 7 has 100"); // read-only, so a repair does no harm
const waiting = await money.reply?.(); // it writes, so the repaired arguments need approval
assert.equal(waiting?.pending?.reason, "its arguments were repaired");
assert.deepEqual(waiting.pending.input, { to: "Ada", amount: 40 });
const reply = await haft.resume(waiting.pending.id, { kind: "allow" });
assert.equal(reply.value, "sent 40 to Ada");
//#endregion
assert.deepEqual(sent, [{ to: "Ada", amount: 40 }]);

//#region caller
const asked = [{ role: "user", content: "What is the balance of account 7?" }] as const;
const [result] = await offline().toolCall(asked, haft); // any model client supports it
assert.deepEqual(result?.provenance.validated, { account: 7 });
assert.equal(await result.tool?.run(), "account 7 has 100");
//#endregion

const endings = (await haft.log()).map(({ tool, ending, provenance }) => [
  tool,
  ending,
  provenance?.repaired,
]);
assert.deepEqual(endings, [
  ["send_money", "executed", true],
  ["get_balance", "executed", true],
  ["send_mony", "failed", undefined],
  ["get_balance", "executed", false],
]);
await haft.close();
console.log(reply.value);
