import * as Effect from "effect/Effect";
import { type EntryClosing, type EntryOpening, Haft, http, type LedgerStore, tool } from "haft";
import { memoryLedger } from "haft/effect";
import { describe, expect, it } from "vitest";
import { loopbackServer } from "../loopback-server.ts";

const canary = "Canary-7d2f-Do-Not-Print-91";
const hex = Buffer.from(canary).toString("hex");
const forms: readonly (readonly [string, string])[] = [
  ["as it is", canary],
  ["in upper case", canary.toUpperCase()],
  ["in hex", hex],
  ["in upper-case hex", hex.toUpperCase()],
];
const shown = (value: unknown): readonly string[] => {
  const text = JSON.stringify(value);
  return forms.flatMap(([name, form]) => (text.includes(form) ? [name] : []));
};

const principal = { agent: "tester", allow: ["*"] };
const credentials = { values: { key: canary } };
const echo = (form: string) =>
  tool({
    name: "echo",
    description: "Says what it should not",
    input: { type: "object" },
    run: (input: unknown) => ({ said: `it is ${form}`, list: [form], under: { [`x ${form}`]: 1 }, input }),
  });
const call = { id: "1", tool: "echo", input: "{}" };

describe("a secret that a tool echoes", () => {
  for (const [name, form] of forms) {
    it(`${name} is masked in the text for the model, in the value and in the ledger`, async () => {
      const haft = await Haft.open({ tools: [echo(form)], principal, credentials });
      const [reply] = await haft.turn([call]);
      expect(reply?.ok).toBe(true);
      expect(shown(reply?.text)).toEqual([]);
      expect(shown(reply?.value)).toEqual([]);
      expect(shown(await haft.log())).toEqual([]);
    });

    it(`${name} is masked in the message and the details of a failure`, async () => {
      const broken = tool({
        name: "echo",
        description: "Fails with more words than it should",
        input: { type: "object" },
        run: () => {
          throw new Error(`wrong key ${form}`);
        },
      });
      const haft = await Haft.open({ tools: [broken], principal, credentials });
      const [reply] = await haft.turn([call]);
      expect(reply?.ok).toBe(false);
      const { message, detail, issues } = reply?.failure ?? { message: undefined };
      expect(shown([reply?.text, message, detail, issues])).toEqual([]);
      expect(shown(await haft.log())).toEqual([]);
    });
  }
});

describe("a part of a secret that a service echoes", () => {
  it.each([
    ["a token without its scheme", { secret: "key", header: "Authorization" }, `Bearer ${canary}`, 200],
    ["a password without its user", { secret: "key", scheme: "basic" as const }, `robot:${canary}`, 200],
    ["a password in an error message", { secret: "key", scheme: "basic" as const }, `robot:${canary}`, 403],
  ])("is masked: %s", (_, auth, key, status) =>
    Effect.gen(function* () {
      const server = yield* loopbackServer((_request, response) =>
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify({ got: canary })),
      );
      const get = tool({
        name: "get",
        description: "Asks a service that says what it should not",
        input: { type: "object" },
        annotations: { readOnly: true },
        implementation: http({ url: `${server.origin}/x`, auth }),
      });
      yield* Effect.promise(async () => {
        const outside = { allow: [server.place] };
        const haft = await Haft.open({
          tools: [get],
          principal,
          httpEgress: outside,
          credentials: { values: { key } },
        });
        const [reply] = await haft.turn([{ ...call, tool: "get" }]);
        expect(server.seen).toHaveLength(1);
        expect(shown([reply, await haft.log()])).toEqual([]);
      });
    }).pipe(Effect.scoped, Effect.runPromise),
  );
});

describe("a secret in the ids of a call", () => {
  for (const [name, form] of forms) {
    it(`${name} is masked in the ledger: call id, idempotency key and correlation id`, async () => {
      const haft = await Haft.open({ tools: [echo("nothing")], principal, credentials });
      await haft.turn([{ ...call, id: `call ${form}` }], { correlationId: `order ${form}` });
      await haft.call("echo", {}, { idempotencyKey: `key-${form}`, correlationId: `order ${form}` });
      const output = await haft.execute({
        toolName: "echo",
        arguments: {},
        agentId: "tester",
        sessionId: "s",
        correlationId: `order ${form}`,
      });
      expect(output.success).toBe(true);
      const rows = await haft.log();
      expect(rows).toHaveLength(3);
      expect(shown(rows)).toEqual([]);
    });
  }

  it("does not merge two keys: each refers to its own call", async () => {
    let runs = 0;
    const count = tool({ name: "count", description: "Counts", input: [], run: () => ++runs });
    const haft = await Haft.open({ tools: [count], principal, credentials });
    const under = (idempotencyKey: string) => haft.call("count", {}, { idempotencyKey });
    expect(await under(`${canary}-1`)).toBe(1);
    expect(await under(`${canary}-2`)).toBe(2);
    expect(await under(`${canary}-1`)).toBe(1);
    expect(await under(canary.toUpperCase())).toBe(3);
    expect(await under(canary)).toBe(4);
  });

  it("does not change the id of the reply", async () => {
    const haft = await Haft.open({ tools: [echo("nothing")], principal, credentials });
    const [reply] = await haft.turn([{ ...call, id: `call ${canary}` }]);
    expect(reply?.id).toBe(`call ${canary}`);
  });
});

describe("a custom ledger", () => {
  it("receives masked rows when a call opens and when it closes", async () => {
    const memory = memoryLedger({ redactor: { value: (value) => value, text: (text) => text } });
    const given: (EntryOpening | EntryClosing)[] = [];
    const ledger: LedgerStore = {
      open: (opening) =>
        Effect.andThen(
          Effect.sync(() => given.push(opening)),
          memory.open(opening),
        ),
      close: (closing) =>
        Effect.andThen(
          Effect.sync(() => given.push(closing)),
          memory.close(closing),
        ),
      entries: (query) => memory.entries(query),
    };
    for (const [, form] of forms) {
      const haft = await Haft.open({ tools: [echo(form)], principal, credentials, ledger });
      await haft.turn(
        [{ id: `call ${form}`, tool: "echo", input: JSON.stringify({ text: form, password: "pw-1" }) }],
        {
          correlationId: `order ${form}`,
        },
      );
    }
    expect(given).toHaveLength(2 * forms.length);
    expect(shown(given)).toEqual([]);
    expect(JSON.stringify(given)).not.toContain("pw-1");
  });
});
