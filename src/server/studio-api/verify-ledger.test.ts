import * as Effect from "effect/Effect";
import { describe, expect, it, vi } from "vitest";
import {
  checkAnswerSchema,
  readServerEvents,
  studioPostInit,
  studioScene,
} from "../../../test/kit/studio-scene.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";

describe("verification of the ledger", () => {
  it("streams its result, and is refused for a ledger in memory", async () => {
    const { haft, signed } = await studioScene({ ledger: "sqlite::memory:" });
    await haft.call("find_order", { id: "7" });
    const events: { name: string; data: unknown }[] = [];
    for await (const event of readServerEvents(await signed("/verify", studioPostInit({}))))
      events.push(event);
    expect(events.at(-1)).toMatchObject({ name: "done", data: { ok: true } });
    checkAnswerSchema("VerifyResult", events.at(-1)!.data);
    const memory = await studioScene({ ledger: "memory" });
    expect((await memory.signed("/verify", studioPostInit({}))).status).toBe(409);
  });

  it("ends when the user signs out", async () => {
    const { haft, signed } = await studioScene({ ledger: "sqlite::memory:" });
    const begun = Promise.withResolvers<void>();
    const interrupted = Promise.withResolvers<void>();
    const never = Effect.callback<never>(() => {
      begun.resolve();
      return Effect.sync(() => interrupted.resolve());
    });
    vi.spyOn(sharedRuntimes.get(haft as Haft)!.ledger as DurableLedger, "verify").mockReturnValue(never);
    const stream = await signed("/verify", studioPostInit({}));
    await begun.promise;
    await signed("/sign-out", studioPostInit({}));
    expect(await stream.text()).not.toContain("done");
    await interrupted.promise;
  });
});
