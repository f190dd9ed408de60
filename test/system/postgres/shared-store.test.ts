import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { openSharedStore, type SharedStore } from "../../../src/ledger/postgres-messaging/shared-store.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const key = randomBytes(32).toString("base64");

describe("store that processes share", () => {
  const world = usePostgres();
  const opened: SharedStore[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  const open = async (url: string, otherKey = key): Promise<SharedStore> => {
    const store = await openSharedStore({ url, key: otherKey });
    opened.push(store);
    return store;
  };

  it("opens a sealed text only with the same key and for the same context", async () => {
    const url = await world.freshSchema();
    const [here, there] = [await open(url), await open(url)];
    const stranger = await open(url, randomBytes(32).toString("base64"));
    const sealed = here.seal("secret", "request 1");
    expect(Buffer.from(sealed).toString("latin1")).not.toContain("secret");
    expect(there.unseal(sealed, "request 1")).toBe("secret");
    expect(there.unseal(sealed, "request 2")).toBeUndefined();
    expect(stranger.unseal(sealed, "request 1")).toBeUndefined();
    expect(here.digest("caller")).toBe(there.digest("caller"));
    expect(here.digest("caller")).not.toBe(stranger.digest("caller"));
  });

  it("sends a notification to every process", async () => {
    const url = await world.freshSchema();
    const [here, there] = [await open(url), await open(url)];
    const received: string[] = [];
    here.hear((word) => received.push(`here ${word}`));
    there.hear((word) => received.push(`there ${word}`));
    await here.tell("freed");
    await waitFor(() => expect(received.toSorted()).toEqual(["here freed", "there freed"]));
  });

  it("requires HAFT_LEDGER_KEY", async () => {
    await expect(openSharedStore({ url: world.server.url, key: "" })).rejects.toThrow("HAFT_LEDGER_KEY");
  });
});
