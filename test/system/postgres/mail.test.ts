import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { openRpcChannel, type RpcChannel } from "../../../src/ledger/postgres-messaging/rpc.ts";
import { openSharedStore, type SharedStore } from "../../../src/ledger/postgres-messaging/shared-store.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const key = randomBytes(32).toString("base64");

describe("messages between processes", () => {
  const world = usePostgres();
  const opened: { readonly store: SharedStore; readonly mail: RpcChannel }[] = [];
  afterEach(async () => {
    for (const { mail, store } of opened.splice(0)) {
      mail.close();
      await store.close();
    }
  });
  const open = async (
    url: string,
    answer: (question: unknown) => Promise<unknown> = async (question) => ({ heard: question }),
    told: (message: unknown) => void = () => {},
    otherKey = key,
  ) => {
    const store = await openSharedStore({ url, key: otherKey });
    const mail = await openRpcChannel(store, { purpose: "test", answer, told });
    opened.push({ store, mail });
    return { store, mail };
  };

  it("reach their recipient, and its reply is returned", async () => {
    const url = await world.freshSchema();
    const [here, there] = [await open(url), await open(url)];
    const answers = await Promise.all([1, 2, 3].map((n) => here.mail.ask(there.store.name, { n })));
    expect(answers).toEqual([1, 2, 3].map((n) => ({ kind: "answered", answer: { heard: { n } } })));
  });

  it("to a recipient that is gone or leaves before its reply fail as gone", async () => {
    const url = await world.freshSchema();
    const asked = Promise.withResolvers<void>();
    const here = await open(url);
    const there = await open(url, () => {
      asked.resolve();
      return new Promise(() => {});
    });
    const waiting = here.mail.ask(there.store.name, {});
    await asked.promise;
    there.mail.close();
    await there.store.close();
    opened.splice(1, 1);
    expect(await waiting).toEqual({ kind: "gone" });
    expect(await here.mail.ask("nobody", {})).toEqual({ kind: "gone" });
  });

  it("written without the key or sealed for another message are ignored", async () => {
    const url = await world.freshSchema();
    const heard: unknown[] = [];
    const note = async (question: unknown) => void heard.push(question);
    const there = await open(url, note, (message) => heard.push(message));
    const stranger = await open(url, undefined, undefined, randomBytes(32).toString("base64"));
    const forging = new AbortController();
    const forged = stranger.mail.ask(there.store.name, "forged", forging.signal).catch(() => "unheard");
    await stranger.mail.tellAll("forged too");
    const insert =
      "INSERT INTO haft_mail (id, purpose, recipient, sender, sealed) VALUES ($1, 'test', $2, 'x', $3)";
    await there.store.ask(insert, ["1", there.store.name, there.store.seal('{"body":1}', "something else")]);
    // A later message is received, so the earlier ones have been read.
    const here = await open(url);
    await here.mail.ask(there.store.name, "real");
    forging.abort();
    expect(await forged).toBe("unheard");
    expect(heard).toEqual(["real"]);
  });

  it("to all are received by all other processes", async () => {
    const url = await world.freshSchema();
    const heard: unknown[] = [];
    const here = await open(url, undefined, (message) => heard.push(["here", message]));
    await open(url, undefined, (message) => heard.push(["there", message]));
    await here.mail.tellAll({ kind: "ended" });
    await waitFor(() => expect(heard).toEqual([["there", { kind: "ended" }]]));
  });

  it("require HAFT_LEDGER_KEY", async () => {
    await expect(openSharedStore({ url: world.server.url, key: "" })).rejects.toThrow("HAFT_LEDGER_KEY");
  });
});
