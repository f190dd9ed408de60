import { expect, test } from "vitest";
import { fakeServed } from "../../../test/kit/fake-served.ts";
import { alice } from "../../../test/kit/gateway-clients.ts";
import { liveServed } from "../../gateway/live-served.ts";

test("secrets of a runtime that was replaced stay masked until it has answered its last call", () => {
  const old = fakeServed({ redact: (text) => text.replaceAll("old-key", "[redacted]") });
  const next = fakeServed({ redact: (text) => text.replaceAll("new-key", "[redacted]") });
  const live = liveServed(old.served, alice);
  live.swap(next.served, alice);
  expect(live.served.redact("old-key and new-key")).toBe("[redacted] and [redacted]");
  live.leave(old.served);
  expect(live.served.redact("new-key")).toBe("[redacted]");
});

test("a runtime that left is not listened to any more", () => {
  const [old, next] = [fakeServed(), fakeServed()];
  const live = liveServed(old.served, alice);
  const told: string[] = [];
  live.served.onProgress((callId) => told.push(callId));
  live.swap(next.served, alice);
  old.progress("begun before", 1);
  live.leave(old.served);
  old.progress("too late", 2);
  next.progress("begun after", 1);
  expect(told).toEqual(["begun before", "begun after"]);
  expect(old.listeners.news.size + old.listeners.progress.size).toBe(0);
});
