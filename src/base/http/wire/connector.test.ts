import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { afterEach, expect, it, vi } from "vitest";
import { openHttpEgress } from "../open-http-egress.ts";

afterEach(() => {
  vi.useRealTimers();
});

// Runs in its own file because undici uses one timer for all connections, and this test must start it.
it("times out before sending when a name never resolves", () =>
  Effect.gen(function* () {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = Promise.withResolvers<void>();
    const client = yield* openHttpEgress({ lookup: () => asked.resolve() });
    const fiber = yield* Effect.forkChild(Effect.flip(client.request({ url: "https://slow.example/" })));
    yield* Effect.promise(() => asked.promise);
    vi.advanceTimersByTime(12_000);
    expect(yield* Fiber.join(fiber)).toMatchObject({
      code: "timed_out",
      failure: { ran: false, detail: expect.stringContaining("UND_ERR_CONNECT_TIMEOUT") },
    });
  }).pipe(Effect.scoped, Effect.runPromise));
