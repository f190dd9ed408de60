// Sends each approval request to another program, which answers through the shared ledger.
//#region webhook
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Haft } from "haft";
import { openLedger, verifyWebhook } from "haft/ledger";
import { refund } from "./shop.ts";

const place = `127.0.0.1:${process.env.PORT ?? 8731}`;
const secret = process.env.WEBHOOK_SECRET ?? "at least sixteen characters";
const ledger = await openLedger("sqlite:./webhook.db");

const receiver = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const isOurs = verifyWebhook(body, request.headers["haft-signature"]?.toString(), secret);
  response.writeHead(isOurs ? 204 : 401).end();
  if (!isOurs) return;
  const { id, tool, input, agent, reason, runId, callId, expiresAt } = JSON.parse(body);
  console.log(`${agent} wants ${tool} with ${JSON.stringify(input)}, call ${callId} of ${runId}: ${reason}`);
  if (Date.now() < expiresAt) await ledger.answer(id, { kind: "allow" }, { by: "the night shift" });
}).listen(Number(process.env.PORT ?? 8731), "127.0.0.1");

const haft = await Haft.open({
  tools: [refund],
  principal: { agent: "clerk", allow: ["*"] },
  ledger: "sqlite:./webhook.db",
  approvals: { webhook: { url: `http://${place}/approvals`, secret } },
  httpEgress: { allow: [place] }, // only for a receiver in a private network or on this machine
});
//#endregion
await new Promise((resolve) =>
  receiver.listening ? resolve(undefined) : receiver.once("listening", resolve),
);
const error = await haft.call("refund", { order: 9 }).catch((thrown) => thrown);
while ((await haft.approvals({ status: "waiting" })).length > 0) await new Promise((r) => setTimeout(r, 20));
const reply = await haft.resume(error.approval.id);
assert.equal(reply.ok, true);
const [question] = await haft.approvals();
assert.equal(question?.answeredBy, "the night shift");
const forged = await fetch(`http://${place}/approvals`, { method: "POST", body: "{}" });
assert.equal(forged.status, 401);
await haft.close();
await ledger.end();
receiver.close();
receiver.closeAllConnections();
