import { Haft, tool } from "haft";
import { openLedger } from "haft/ledger";
import { describe, expect, it } from "vitest";
import { useSqliteFolder } from "./kit/use-sqlite-folder.ts";

const { fresh } = useSqliteFolder();

const ada = { agent: "clerk", user: "ada", tenant: "a", allow: ["*"] };
const eve = { agent: "clerk", user: "eve", tenant: "b", allow: ["*"] };
const echo = tool({
  name: "echo",
  description: "Returns its text",
  input: { type: "object", properties: { text: { type: "string" } } },
  run: ({ text }: { readonly text?: string }) => text ?? "",
});

describe.each(["memory", "sqlite"] as const)("entries of other callers in a ledger in %s", (kind) => {
  const place = () => (kind === "memory" ? kind : (`sqlite:${fresh()}` as const));

  it("haft.log lists only the entries of its principal's user and tenant", async () => {
    const haft = await Haft.open({
      tools: [echo],
      ledger: place(),
      principal: { agent: "app", allow: ["*"] },
    });
    const others = [
      ada,
      eve,
      { ...ada, user: "bob" },
      { ...ada, tenant: "b" },
      { agent: "clerk", allow: ["*"] },
    ];
    for (const principal of others) await haft.as(principal).call("echo", { text: principal.agent });
    const seen = async (handle: Haft) => (await handle.log()).map(({ user, tenant }) => [user, tenant]);
    expect(await seen(haft.as(ada) as never)).toEqual([["ada", "a"]]);
    expect(await seen(haft.as({ ...ada, agent: "other", session: "s" }) as never)).toEqual([["ada", "a"]]);
    expect(await seen(haft.as({ agent: "lent", within: eve }) as never)).toEqual([["eve", "b"]]);
    expect(await seen(haft as never)).toEqual([[undefined, undefined]]);
    const [{ entryId } = { entryId: "" }] = await haft.as(eve).log();
    expect(await haft.as(ada).log({ entryId })).toEqual([]);
    await haft.close();
  });

  it("haft.log counts only own entries against its limit", async () => {
    const haft = await Haft.open({ tools: [echo], ledger: place() });
    for (let at = 0; at < 6; at++) {
      await haft.as(ada).call("echo", { text: `own ${at}` });
      for (let more = 0; more < 40; more++) await haft.as(eve).call("echo", { text: "other" });
    }
    const texts = async (query: object) => (await haft.as(ada).log(query)).map(({ result }) => result);
    expect(await texts({ limit: 2 })).toEqual(['"own 4"', '"own 5"']);
    expect(await texts({ limit: 50 })).toHaveLength(6);
    expect(await texts({ limit: 0 })).toEqual([]);
    const [first, second, third] = await haft.as(ada).log();
    expect(await texts({ limit: 2, after: first!.entryId })).toEqual(['"own 1"', '"own 2"']);
    expect(await texts({ limit: 1, before: third!.entryId })).toEqual([second!.result]);
    await haft.close();
  });
});

describe("calls of other callers whose effect is unknown", () => {
  const unsettled = async (callId: string) => {
    const place = `sqlite:${fresh()}` as const;
    const ledger = await openLedger(place);
    const running = Promise.withResolvers<void>();
    const pay = tool({
      name: "pay",
      description: "Pays",
      input: { type: "object" },
      key: () => "order-7",
      reconcile: () => ({ tookEffect: true, output: "found" }),
      run: () => {
        running.resolve();
        return new Promise(() => {});
      },
    });
    const first = await Haft.open({ tools: [pay], ledger: ledger.store, principal: ada });
    first.turn([{ id: callId, tool: "pay", input: {} }]).catch(() => {});
    await running.promise;
    await ledger.end();
    return Haft.open({ tools: [pay], ledger: place, principal: { agent: "app", allow: ["*"] } });
  };

  it("are settled only by their own user and tenant", async () => {
    const haft = await unsettled("call-1");
    const [{ entryId } = { entryId: "" }] = await haft.as(ada).log({ ending: "unknown" });
    const unknown = { code: "not_settled" };
    for (const id of [entryId, "call-1"]) {
      for (const caller of [haft.as(eve), haft.as({ ...ada, user: "bob" }), haft]) {
        await expect(caller.settle(id, { tookEffect: false })).rejects.toMatchObject(unknown);
        await expect(caller.settle(id)).rejects.toMatchObject(unknown);
      }
    }
    const missing = await haft.as(eve).settle("no-such-call", { tookEffect: true }).catch(String);
    const refused = await haft.as(eve).settle(entryId, { tookEffect: true }).catch(String);
    expect(String(refused).replaceAll(entryId, "ID")).toBe(String(missing).replaceAll("no-such-call", "ID"));
    expect(await haft.as(ada).settle("call-1", { tookEffect: false })).toMatchObject({ entryId });
    await haft.close();
  });
});
