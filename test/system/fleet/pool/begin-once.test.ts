import { describe, expect, it, onTestFinished } from "vitest";
import { remote } from "../../../../src/fleet/remote.ts";
import { retry } from "../../../../src/pipeline/layers/retry.ts";
import { tool } from "../../../../src/tools/tool.ts";
import type { AnyTool, Implementation } from "../../../../src/types/tool.ts";
import { waitFor } from "../../../kit/wait-for.ts";
import { fleetScene } from "../../kit/fleet-scene.ts";
import { queryAt } from "../../kit/postgres-test-server.ts";

const draw = (how: { readonly implementation: Implementation } | { readonly run: () => unknown }): AnyTool =>
  tool({ name: "draw", description: "Draws.", input: [], ...how } as never);

describe("pool call", () => {
  const scene = fleetScene();

  const openTwo = async (run: () => unknown, poolConcurrency = 1) => {
    const url = await scene.fresh();
    const there = draw({ implementation: remote("gpu") }).layer(retry({ attempts: 3 }));
    const front = await scene.open({ url, tools: [there] });
    const back = await scene.open({ url, tools: [draw({ run })] });
    await scene.work(back, { agents: [], pools: ["gpu"], poolConcurrency });
    const call = (key?: string) =>
      front.call("draw" as never, {} as never, key === undefined ? {} : { idempotencyKey: key });
    return { url, front, call };
  };

  it.each([
    ["an object without a prototype", () => Object.create(null)],
    [
      "an unreadable error",
      () =>
        Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("unreadable");
          },
        }),
    ],
  ])("that throws %s is recorded as run, and is not repeated", async (_, thrown) => {
    let ran = 0;
    const { call } = await openTwo(() => {
      ran += 1;
      throw thrown();
    });
    await expect(call("k")).rejects.toMatchObject({ code: "failed" });
    await expect(call("k")).rejects.toThrow();
    expect(ran).toBe(1);
  });

  /** A call whose code is running until `goOn` is called. */
  const callUnderWay = async (poolConcurrency: number) => {
    let ran = 0;
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { url, call } = await openTwo(async () => {
      ran += 1;
      begun.resolve();
      await held.promise;
      return "drawn";
    }, poolConcurrency);
    const calling = call();
    calling.catch(() => {});
    onTestFinished(() => held.resolve());
    await begun.promise;
    return { url, calling, goOn: () => held.resolve(), ran: () => ran };
  };

  it("starts once when its row is reset to waiting", async () => {
    const { url, calling, goOn, ran } = await callUnderWay(2);
    await queryAt(url, "UPDATE haft_pool_jobs SET state = 'waiting', worker = NULL");
    // A second attempt is refused: the row is done, and the caller waits for the first one.
    await waitFor(async () =>
      expect((await queryAt(url, "SELECT state FROM haft_pool_jobs"))[0]?.state).toBe("done"),
    );
    goOn();
    expect(await calling).toBe("drawn");
    expect(ran()).toBe(1);
  });

  it("does not start again when its row and its entry are restored by SQL", async () => {
    const { url, calling, goOn, ran } = await callUnderWay(1);
    await queryAt(url, "CREATE TABLE copy AS SELECT * FROM haft_pool_jobs");
    goOn();
    expect(await calling).toBe("drawn");
    await queryAt(
      url,
      "UPDATE haft_entries SET ending = 'open', close_seq = NULL, closed_at = NULL, last_seq = open_seq",
    );
    await queryAt(url, "UPDATE copy SET state = 'waiting', worker = NULL, result = NULL");
    await queryAt(url, "INSERT INTO haft_pool_jobs SELECT * FROM copy");
    await waitFor(async () =>
      expect((await queryAt(url, "SELECT state FROM haft_pool_jobs"))[0]?.state).toBe("done"),
    );
    expect(ran()).toBe(1);
  });
});
