import * as Effect from "effect/Effect";
import { expect, test } from "vitest";
import { loopbackServer } from "../../test/loopback-server.ts";
import { openHttpEgress } from "../base/http/open-http-egress.ts";
import type { ApprovalRequest } from "../types/approval.ts";
import type { ToolError } from "../types/errors.ts";
import { approvalWebhook } from "./approval-webhook.ts";
import { verifyWebhook } from "./webhook-signature.ts";

const secret = "a secret of some length";
const request: ApprovalRequest = {
  id: "approval-1",
  callId: "call-1",
  tool: "shop/refund",
  principal: { agent: "shop" },
  input: { order: "A-17" },
  reason: "it is a refund",
};

test("sends a message that the receiver can verify", () =>
  Effect.gen(function* () {
    const arrived = Promise.withResolvers<void>();
    const server = yield* loopbackServer((_, response) => {
      response.end("thanks");
      arrived.resolve();
    });
    const client = yield* openHttpEgress({ allow: [server.place] });
    const tell = yield* approvalWebhook({ url: `${server.origin}/approvals`, secret }, { outside: client });
    tell({ ...request, reason: "für Ærlig 🛠" });
    yield* Effect.promise(() => arrived.promise);
    const { body, headers, method, url: path } = server.seen[0]!;
    expect({ method, path }).toEqual({ method: "POST", path: "/approvals" });
    expect(verifyWebhook(body, String(headers["haft-signature"]), secret)).toBe(true);
    expect(headers["idempotency-key"]).toBe("approval-1");
  }).pipe(Effect.scoped, Effect.runPromise));

test("refuses a private address unless the operator allows it", () =>
  Effect.gen(function* () {
    const server = yield* loopbackServer((_, response) => void response.end("reached"));
    const client = yield* openHttpEgress();
    const received = Promise.withResolvers<ToolError>();
    const tell = yield* approvalWebhook(
      { url: server.origin, secret, onError: (error) => received.resolve(error) },
      { outside: client },
    );
    tell(request);
    expect(yield* Effect.promise(() => received.promise)).toMatchObject({ code: "outside_refused" });
    expect(server.seen).toHaveLength(0);
  }).pipe(Effect.scoped, Effect.runPromise));
