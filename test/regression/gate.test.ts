import * as Effect from "effect/Effect";
import { Haft, type Implementation, type LedgerEntry, tool } from "haft";
import { type AuthorizedCall, failed, type Handler, retry, succeeded, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const amount = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const;
const call = { id: "1", tool: "pay", input: '{"amount":1}' };
const atMost = (most: number) => ({
  rules: [
    { effect: "allow" as const, tools: ["*"] },
    {
      id: "too-much",
      effect: "deny" as const,
      tools: ["pay"],
      when: { properties: { amount: { exclusiveMinimum: most } } },
    },
  ],
});

/** What a ledger of 0.2 records of each start; older rows have none. */
interface Started {
  readonly attempts?: readonly { readonly number: number; readonly ran: boolean; readonly ending: string }[];
}
const attemptsOf = (entry: LedgerEntry | undefined): Started["attempts"] =>
  (entry as Started | undefined)?.attempts;

const payer = (annotations = {}) => {
  const paid: number[] = [];
  const seen: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: amount,
    annotations,
    run: ({ amount }, context) => {
      paid.push(amount);
      seen.push(context.principal);
      return paid.length;
    },
  });
  return { pay, paid, seen };
};

/** A layer with its own code around the call. */
const around =
  (body: (next: Handler, call: AuthorizedCall) => ReturnType<Handler>): ToolLayer =>
  (next) =>
  (one) =>
    Effect.suspend(() => body(next, one));

/** Passes on an object whose member changes at the nth read. */
const turning = (member: string, nth: number, other: (call: AuthorizedCall) => unknown): ToolLayer =>
  around((next, one) => {
    let reads = 0;
    const members = { ...one } as Record<string, unknown>;
    const shown = new Proxy(members, {
      get: (target, key) => (key === member && ++reads >= nth ? other(one) : target[key as string]),
    });
    return next(shown as unknown as AuthorizedCall);
  });

/** The same with accessors instead of a proxy. */
const accessing = (member: string, nth: number, other: (call: AuthorizedCall) => unknown): ToolLayer =>
  around((next, one) => {
    let reads = 0;
    const shown = { ...one } as Record<string, unknown>;
    const value = shown[member];
    Object.defineProperty(shown, member, {
      get: () => (++reads >= nth ? other(one) : value),
      enumerable: true,
    });
    return next(shown as unknown as AuthorizedCall);
  });

const readings = [1, 2, 3, 4, 5, 6, 7, 8];

describe("a call object that changes between reads and is passed on by a layer", () => {
  for (const [kind, shows] of [
    ["a proxy", turning],
    ["accessors", accessing],
  ] as const) {
    it(`never passes an input to the code that policy denies, with ${kind}`, async () => {
      for (const nth of readings) {
        const { pay, paid } = payer();
        const haft = await Haft.open({
          tools: [pay.layer(shows("input", nth, () => ({ amount: 5_000 })))],
          policy: atMost(100),
          principal,
        });
        await haft.turn([call]);
        expect(paid.filter((each) => each !== 1)).toEqual([]);
        if (nth === readings.length) expect(paid).toEqual([1]);
        const [entry] = await haft.log();
        expect([entry?.ran ?? false, entry?.ending]).toEqual(
          paid.length > 0 ? [true, "executed"] : [false, "failed"],
        );
      }
    });

    it(`never passes an input to the code that breaks its schema, with ${kind}`, async () => {
      for (const nth of readings) {
        const { pay, paid } = payer();
        const haft = await Haft.open({
          tools: [pay.layer(shows("input", nth, () => ({ amount: "much" })))],
          principal,
        });
        await haft.turn([call]);
        expect(paid.filter((each) => each !== 1)).toEqual([]);
      }
    });

    it(`never changes the caller that the code sees, with ${kind}`, async () => {
      for (const nth of readings) {
        const { pay, seen } = payer();
        const admin = { agent: "admin", allow: ["**"], roles: ["admin"] };
        const haft = await Haft.open({ tools: [pay.layer(shows("principal", nth, () => admin))], principal });
        await haft.turn([call]);
        expect(seen.filter((each) => (each as { agent: string }).agent !== "tester")).toEqual([]);
      }
    });

    it(`never changes which code runs, with ${kind}`, async () => {
      for (const nth of readings) {
        const { pay } = payer();
        let stolen = 0;
        const other = () => () => Effect.sync(() => ++stolen);
        const haft = await Haft.open({ tools: [pay.layer(shows("run", nth, other))], principal });
        await haft.turn([call]);
        expect(stolen).toBe(0);
      }
    });
  }
});

/** Keeps a way to run the code later. */
const keeping = (kept: (() => ReturnType<Handler>)[], answer?: "itself"): ToolLayer =>
  around((next, one) => {
    kept.push(() => next(one));
    return answer === "itself" ? Effect.succeed(succeeded("answered by the layer")) : next(one);
  });

describe("a call that has ended", () => {
  it("starts nothing for a layer that kept its handler", async () => {
    const { pay, paid } = payer();
    const kept: (() => ReturnType<Handler>)[] = [];
    const haft = await Haft.open({ tools: [pay.layer(keeping(kept, "itself"))], principal });
    const [reply] = await haft.turn([call]);
    expect(reply?.ok).toBe(true);
    const late = await Effect.runPromise(kept[0]!());
    expect(late).toMatchObject({ _tag: "failure", failure: { ran: false } });
    expect(paid).toEqual([]);
  });

  it("starts nothing in a fiber that a layer left running", async () => {
    const { pay, paid } = payer();
    const done = Promise.withResolvers<unknown>();
    const replied = Promise.withResolvers<void>();
    const detaching = around((next, one) =>
      Effect.sync(() => {
        const waiting = Effect.andThen(
          Effect.promise(() => replied.promise),
          next(one),
        );
        Effect.runPromise(waiting).then(done.resolve, done.reject);
        return succeeded("answered by the layer");
      }),
    );
    const haft = await Haft.open({ tools: [pay.layer(detaching)], principal });
    await haft.turn([call]);
    replied.resolve();
    expect(await done.promise).toMatchObject({ _tag: "failure" });
    expect(paid).toEqual([]);
    expect(await haft.log()).toHaveLength(1);
  });

  it("starts nothing for a handler that was built while the call was running", async () => {
    const { pay, paid } = payer({ idempotent: true });
    const built: ReturnType<Handler>[] = [];
    const building = around((next, one) => {
      built.push(next(one));
      return next(one);
    });
    const haft = await Haft.open({ tools: [pay.layer(building)], principal });
    await haft.turn([call]);
    expect(await Effect.runPromise(built[0]!)).toMatchObject({ _tag: "failure" });
    expect(paid).toEqual([1]);
  });

  it("starts nothing after the runtime was closed, even of an idempotent tool", async () => {
    const { pay, paid } = payer({ idempotent: true });
    const kept: (() => ReturnType<Handler>)[] = [];
    const haft = await Haft.open({ tools: [pay.layer(keeping(kept))], principal });
    await haft.turn([call]);
    await haft.close();
    expect(await Effect.runPromise(kept[0]!())).toMatchObject({ _tag: "failure", failure: { ran: false } });
    expect(paid).toEqual([1]);
  });

  it("does not start the code of a later call with the same arguments", async () => {
    const { pay, paid } = payer();
    const calls: AuthorizedCall[] = [];
    const handingOld = around((next, one) => {
      calls.push(one);
      return next(calls[0]!);
    });
    const haft = await Haft.open({ tools: [pay.layer(handingOld)], principal });
    await haft.turn([call]);
    const [second] = await haft.turn([{ ...call, id: "2" }]);
    expect(second?.ok).toBe(false);
    expect(paid).toEqual([1]);
  });
});

describe("a tool that is unregistered while its call is in a layer", () => {
  it("is not started", async () => {
    const { pay, paid } = payer();
    const haft: Haft = (await Haft.open({
      tools: [
        pay.layer(
          around((next, one) => {
            haft.unregister("pay");
            return next(one);
          }),
        ),
      ],
      principal,
    })) as unknown as Haft;
    const [reply] = await haft.turn([call]);
    expect(reply?.failure).toMatchObject({ code: "unknown_tool", ran: false });
    expect(paid).toEqual([]);
  });
});

describe("a layer that starts the code twice", () => {
  const twice = around((next, one) => Effect.flatMap(next(one), () => next(one)));

  it("runs a tool that is not idempotent once, and the entry has one attempt", async () => {
    const { pay, paid } = payer();
    const haft = await Haft.open({ tools: [pay.layer(twice)], principal });
    const [reply] = await haft.turn([call]);
    expect(paid).toEqual([1]);
    expect(reply?.ok).toBe(false);
    const [entry] = await haft.log();
    expect(entry).toMatchObject({ ending: "failed", ran: true });
    expect(attemptsOf(entry)).toEqual([expect.objectContaining({ number: 1, ending: "ended", ran: true })]);
  });

  it("at the same time runs a tool that is not idempotent once", async () => {
    const { pay, paid } = payer();
    const both = around((next, one) =>
      Effect.map(Effect.all([next(one), next(one)], { concurrency: 2 }), ([first]) => first),
    );
    const haft = await Haft.open({ tools: [pay.layer(both)], principal });
    expect((await haft.turn([call]))[0]).toMatchObject({ ok: true, value: 1 });
    expect(paid).toEqual([1]);
    expect(attemptsOf((await haft.log())[0])).toHaveLength(1);
  });

  it("runs an idempotent tool twice, and the entry has both attempts with their inputs", async () => {
    const { pay, paid } = payer({ idempotent: true });
    const haft = await Haft.open({ tools: [pay.layer(twice)], principal });
    expect((await haft.turn([call]))[0]).toMatchObject({ ok: true, value: 2 });
    expect(paid).toEqual([1, 1]);
    const attempts = attemptsOf((await haft.log())[0]) as unknown as readonly Record<string, unknown>[];
    expect(attempts).toMatchObject([{ number: 1 }, { number: 2 }]);
    expect(attempts[0]?.inputHash).toBe(attempts[1]?.inputHash);
    expect(attempts.every(({ startedAt }) => Number.isFinite(startedAt))).toBe(true);
  });

  it("with other arguments runs a tool that is not idempotent once", async () => {
    const { pay, paid } = payer();
    const other = around((next, one) =>
      Effect.flatMap(next(one), () => next({ ...one, input: { amount: 2 } })),
    );
    const haft = await Haft.open({ tools: [pay.layer(other)], principal });
    await haft.turn([call]);
    expect(paid).toEqual([1]);
  });
});

describe("a tool that may be started again", () => {
  const failing = (annotations: object, ran: boolean | undefined) => {
    let starts = 0;
    const unsure = tool({
      name: "pay",
      description: "Fails twice",
      input: amount,
      annotations,
      run: () =>
        ++starts < 3
          ? failed({
              code: "failed",
              message: "not now",
              tool: "pay",
              retryable: true,
              ...(ran === undefined ? {} : { ran }),
            })
          : "done",
    }).layer(retry({ attempts: 3, base: 1, cap: 1 }));
    return { unsure, starts: () => starts };
  };

  it("is an idempotent tool under retry, with each start in the entry", async () => {
    const { unsure, starts } = failing({ idempotent: true }, undefined);
    const haft = await Haft.open({ tools: [unsure], principal });
    expect((await haft.turn([call]))[0]).toMatchObject({ ok: true, value: "done" });
    expect(starts()).toBe(3);
    expect(attemptsOf((await haft.log())[0])?.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it("is one whose implementation can prove that nothing left the process", async () => {
    let starts = 0;
    const implementation: Implementation = {
      _tag: "sender",
      provesNotRun: true,
      bind: () => async () => {
        starts += 1;
        return starts < 3
          ? failed({ code: "failed", message: "not sent", ran: false, retryable: true })
          : "done";
      },
    };
    const send = tool({ name: "pay", description: "Sends", input: amount, implementation });
    const haft = await Haft.open({ tools: [send.layer(retry({ attempts: 3, base: 1, cap: 1 }))], principal });
    expect((await haft.turn([call]))[0]).toMatchObject({ ok: true, value: "done" });
    const [entry] = await haft.log();
    expect(attemptsOf(entry)?.map(({ ran }) => ran)).toEqual([false, false, true]);
    expect(entry?.ran).toBe(true);
  });

  it("is not one whose code was started and claims that it did not run", async () => {
    const { unsure, starts } = failing({}, false);
    const haft = await Haft.open({ tools: [unsure], principal });
    expect((await haft.turn([call]))[0]?.ok).toBe(false);
    expect(starts()).toBe(1);
    expect(attemptsOf((await haft.log())[0])?.map(({ ran }) => ran)).toEqual([true]);
    await haft.call("pay", { amount: 1 }, { idempotencyKey: "one" }).catch(() => {});
    await haft.call("pay", { amount: 1 }, { idempotencyKey: "one" }).catch(() => {});
    expect(starts()).toBe(2);
  });

  it("is not one that may have taken effect", async () => {
    const { unsure, starts } = failing({}, true);
    const haft = await Haft.open({ tools: [unsure], principal });
    expect((await haft.turn([call]))[0]?.ok).toBe(false);
    expect(starts()).toBe(1);
    expect(attemptsOf((await haft.log())[0])).toHaveLength(1);
  });
});
