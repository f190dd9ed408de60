import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLedger } from "haft/ledger";
import type { CallListItem, LiveMessage, Page } from "haft/studio";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { checkAnswerSchema, readServerEvents, studioScene } from "../../../../test/kit/studio-scene.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";

describe("live stream", () => {
  it("sends calls and approval requests as they come, and missed ones after Last-Event-ID", async () => {
    for (const ledger of ["memory", "sqlite::memory:"]) {
      const { haft, signed } = await studioScene({ ledger, approver: () => undefined });
      const stream = readServerEvents(await signed("/live"));
      expect((await stream.next()).value?.name).toBe("hello");
      const next = async (isIt: (message: LiveMessage) => boolean): Promise<LiveMessage> => {
        for (;;) {
          const message = (await stream.next()).value!.data as LiveMessage;
          checkAnswerSchema("LiveMessage", message);
          if (isIt(message)) return message;
        }
      };
      await waitFor(async () =>
        expect((await haft.call("find_order", { id: "7" })) !== undefined).toBe(true),
      );
      const ended = await next(({ calls: lines }) => lines.some(({ ending }) => ending === "executed"));
      expect(ended.calls[0]).toMatchObject({ tool: "find_order" });
      const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { id: "1" } }]);
      if (reply!.pending === undefined) continue;
      const asked = await next(({ approvals }) => approvals.length > 0);
      expect(asked.approvals[0]).toMatchObject({ id: reply!.pending.id, status: "waiting" });
      await stream.return(undefined);
      if (ledger === "memory") continue;
      await haft.call("find_order", { id: "8" });
      const again = readServerEvents(await signed("/live", { headers: { "last-event-id": asked.id } }));
      const missed = (await again.next()).value!.data as LiveMessage;
      expect(missed.calls.map(({ input }) => input)).toEqual(['{"id":"8"}']);
      await again.return(undefined);
    }
  });

  it("sends a thousand calls in few messages with counts and the newest fifty", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { haft, signed } = await studioScene({ ledger: "sqlite::memory:" });
    const stream = readServerEvents(await signed("/live"));
    await stream.next();
    const next = async (): Promise<LiveMessage> => {
      let message: LiveMessage | undefined;
      void stream.next().then(({ value }) => {
        message = value!.data as LiveMessage;
      });
      await waitFor(async () => {
        await vi.advanceTimersByTimeAsync(200);
        expect(message).toBeDefined();
      });
      return message!;
    };
    await haft.call("find_order", { id: "first" });
    await next();
    await haft.turn(
      Array.from({ length: 1_000 }, (_, i) => ({
        id: `c-${i}`,
        tool: "find_order",
        input: { id: String(i) },
      })),
    );
    let [ended, messages] = [0, 0];
    while (ended < 1_000) {
      const message = await next();
      expect(message.calls.length).toBeLessThanOrEqual(50);
      ended += message.counts.ended;
      messages += 1;
    }
    expect(ended).toBe(1_000);
    expect(messages).toBeLessThanOrEqual(2);
    await stream.return(undefined);
  });

  it("sends what another process writes to the same ledger", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-studio-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const place = `sqlite:${join(folder, "l.db")}`;
    const { haft, get, signed } = await studioScene({ ledger: place });
    const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { id: "1" } }]);
    const stream = readServerEvents(await signed("/live"));
    await stream.next();
    const keeper = await openLedger(place);
    onTestFinished(() => keeper.end());
    await keeper.answer(reply!.pending!.id, { kind: "deny" }, { by: "grace" });
    for (let isTold = false; !isTold; ) {
      const { approvals } = (await stream.next()).value!.data as LiveMessage;
      isTold = approvals.some(({ answeredBy }) => answeredBy === "grace");
    }
    await stream.return(undefined);
    expect((await get<Page<CallListItem>>("/calls?ending=pending", "CallPage")).items).toHaveLength(1);
  });
});
