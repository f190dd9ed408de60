import { describe, expect, it } from "vitest";
import { checkAnswer, eventsOf, post, studioScene } from "../../test/kit/studio-scene.ts";

describe("verifying", () => {
  it("verifying tells how it went, and a ledger in memory says that it has no chain", async () => {
    const { haft, signed } = await studioScene({ ledger: "sqlite::memory:" });
    await haft.call("find_order", { id: "7" });
    const events: { name: string; data: unknown }[] = [];
    for await (const event of eventsOf(await signed("/verify", post({})))) events.push(event);
    expect(events.at(-1)).toMatchObject({ name: "done", data: { ok: true } });
    checkAnswer("VerifyResult", events.at(-1)!.data);
    const memory = await studioScene({ ledger: "memory" });
    expect((await memory.signed("/verify", post({}))).status).toBe(409);
  });
});
