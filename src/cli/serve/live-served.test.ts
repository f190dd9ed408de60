import { expect, test } from "vitest";
import { fakeGatewayBackend } from "../../../test/kit/fake-gateway-backend.ts";
import { alicePrincipal } from "../../../test/kit/gateway-clients.ts";
import { swappableBackend } from "../../server/gateway/gateway-backend.ts";

test("masks the secrets of a replaced runtime until it has answered its last call", () => {
  const old = fakeGatewayBackend({ redact: (text) => text.replaceAll("old-key", "[redacted]") });
  const next = fakeGatewayBackend({ redact: (text) => text.replaceAll("new-key", "[redacted]") });
  const live = swappableBackend(old.served, alicePrincipal);
  live.swap(next.served, alicePrincipal);
  expect(live.served.redact("old-key and new-key")).toBe("[redacted] and [redacted]");
  live.release(old.served);
  expect(live.served.redact("new-key")).toBe("[redacted]");
});

test("does not listen to a runtime that has left", () => {
  const [old, next] = [fakeGatewayBackend(), fakeGatewayBackend()];
  const live = swappableBackend(old.served, alicePrincipal);
  const reported: string[] = [];
  live.served.onProgress((callId) => reported.push(callId));
  live.swap(next.served, alicePrincipal);
  old.progress("begun before", 1);
  live.release(old.served);
  old.progress("too late", 2);
  next.progress("begun after", 1);
  expect(reported).toEqual(["begun before", "begun after"]);
  expect(old.listeners.news.size + old.listeners.progress.size).toBe(0);
});
