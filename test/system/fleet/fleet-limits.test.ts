import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import { afterEach, describe, expect, it } from "vitest";
import { openSharedLimits } from "../../../src/fleet/fleet-services.ts";
import { openSharedStore, type SharedStore } from "../../../src/ledger/postgres-messaging/shared-store.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const key = randomBytes(32).toString("base64");

describe("limits and breakers in PostgreSQL", () => {
  const world = usePostgres();
  const opened: SharedStore[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  const open = async (url: string) => {
    const store = await openSharedStore({ url, key });
    opened.push(store);
    return openSharedLimits(store);
  };
  const two = async () => {
    const url = await world.freshSchema();
    return Promise.all([open(url), open(url)]);
  };
  const none = { holding: 0, wanted: 0, returned: 0 };

  it("grant concurrent requests no more than the available starts", async () => {
    const [one, other] = await two();
    const limit = { name: "crm", rate: { count: 100, millis: 3_600_000 } };
    const grants = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        Effect.runPromise((index % 2 ? one : other).take(limit, { ...none, wanted: 1 })),
      ),
    );
    expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(10);
  });

  it("accept an unused start back", async () => {
    const [one] = await two();
    const limit = { name: "crm", rate: { count: 10, millis: 3_600_000 } };
    const take = (wanted: number, returned = 0) =>
      Effect.runPromise(one.take(limit, { ...none, wanted, returned }));
    expect((await take(5)).granted).toBe(1);
    expect((await take(5)).granted).toBe(0);
    expect((await take(5, 1)).granted).toBe(1);
  });

  it("give the next free place to the caller that waited longest", async () => {
    const [one, other] = await two();
    const limit = { name: "crm", concurrency: 1 };
    const take = (by: typeof one, holding: number, wanted: number) =>
      Effect.runPromise(by.take(limit, { ...none, holding, wanted })).then(({ granted }) => granted);
    expect(await take(one, 0, 2)).toBe(1);
    expect(await take(other, 0, 1)).toBe(0);
    const freed = new Promise<void>((resolve) => void other.onFreed("crm", resolve));
    expect(await take(one, 0, 1)).toBe(0);
    await freed;
    expect(await take(other, 0, 1)).toBe(1);
  });

  it("open a breaker for all, allow one test call, and close it for all", async () => {
    const [one, other] = await two();
    const read = (by: typeof one) => Effect.runPromise(by.readBreaker("crm", { withinMs: 60_000 }));
    await Effect.runPromise(one.openBreaker("crm", { failures: 3, forMs: 60_000 }));
    expect(await read(other)).toMatchObject({ failures: 3, mayTest: false });
    expect((await read(other)).closedInMs).toBeGreaterThan(50_000);
    await Effect.runPromise(one.openBreaker("crm", { failures: 3, forMs: 0 }));
    const tests = await Promise.all([read(one), read(other), read(one), read(other)]);
    expect(tests.filter(({ mayTest }) => mayTest)).toHaveLength(1);
    expect(tests.filter(({ closedInMs }) => closedInMs > 0)).toHaveLength(3);
    await Effect.runPromise(other.closeBreaker("crm"));
    expect(await read(one)).toEqual({ closedInMs: 0, failures: 0, mayTest: false });
  });
});
