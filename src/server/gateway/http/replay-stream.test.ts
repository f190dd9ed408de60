import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GatewayState } from "../gateway-state.ts";
import { replayStream } from "./replay-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The text that a client receives for a call, and how often the ledger and the peers were read for it. */
const hear = async (recorded: { readonly kind: string }) => {
  const looks = { ledger: 0, peers: 0 };
  const gateway = {
    holdMs: 600_000,
    backend: {
      redact: (text: string) => text,
      recorded: async () => {
        looks.ledger += 1;
        return recorded;
      },
    },
    peers: {
      isGone: async () => {
        looks.peers += 1;
        return false;
      },
    },
  } as unknown as GatewayState;
  const principal = { agent: "client" };
  const response = replayStream({
    gateway,
    session: "s",
    principal,
    stream: { name: "other", requests: [[1, true]] },
  });
  const text = response.text();
  await vi.advanceTimersByTimeAsync(700_000);
  return { looks, text: await text };
};

it("polls a few times for a call that the ledger does not know, and reports it as unknown", async () => {
  const { looks, text } = await hear({ kind: "none" });
  expect(text).toContain("may have run");
  expect(looks.ledger).toBeLessThanOrEqual(5);
  expect(looks.peers).toBeLessThanOrEqual(5);
});

it("polls less and less often for a call that runs for a long time", async () => {
  const { looks, text } = await hear({ kind: "running" });
  expect(text).toContain("may have run");
  expect(looks.ledger).toBeLessThan(150);
});
