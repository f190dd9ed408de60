import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { Database } from "../../../src/ledger/durable/database.ts";
import { openPostgresDatabase } from "../../../src/ledger/postgres-database.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { numbersUpTo, useOwnPostgres } from "../kit/use-postgres.ts";

const world = useOwnPostgres();

/** Waits until the server has been up long enough to report missing owners. */
const up = (database: Database) =>
  waitFor(async () => expect(await database.findGone?.(["nobody"])).toEqual(["nobody"]));

describe("owner presence", () => {
  const child = async (url: string, owner: string) => {
    const code = `
      const { openPostgresDatabase } = await import(${JSON.stringify(new URL("../../../src/ledger/postgres-database.ts", import.meta.url).href)});
      const database = await openPostgresDatabase({ url: ${JSON.stringify(url)} });
      await database.hold(${JSON.stringify(owner)});
      console.log("held");
      setInterval(() => {}, 1000);`;
    const started = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(started.stdout, "data");
    return started;
  };

  it("lasts as long as its process, and ends after kill -9", async () => {
    const url = await world.fresh();
    const database = await world.open(url);
    const holder = await child(url, "a child");
    const isGone = async (owner: string) =>
      (await database.findGone?.([owner, "nobody ever"]))?.[0] === owner;
    await up(database);
    expect(await Promise.all(numbersUpTo(8).map(() => isGone("a child")))).toEqual(
      numbersUpTo(8).map(() => false),
    );
    holder.kill("SIGKILL");
    await once(holder, "exit");
    // The server notices the lost connection with a delay.
    await waitFor(async () => expect(await isGone("a child")).toBe(true));
    expect(await database.findGone?.(["nobody ever"])).toEqual(["nobody ever"]);
  });

  it("is restored after its connection or the whole server was lost", async () => {
    const url = await world.fresh();
    const [holder, looker] = [await world.open(url), await world.open(url)];
    await holder.hold?.("it");
    await world.server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'haft'",
    );
    const gone = () => looker.findGone?.(["it"]);
    await waitFor(async () => expect(await gone()).toEqual([]));
    await world.server.restart();
    // A server restart alone makes no owner count as gone.
    expect(await gone()).toEqual([]);
    await up(looker);
    await waitFor(async () => expect(await gone()).toEqual([]));
    expect(await holder.findGone?.(["it"])).toEqual([]);
  });

  it("ends when its database is closed", async () => {
    const url = await world.fresh();
    const [holder, looker] = [await openPostgresDatabase({ url }), await world.open(url)];
    await holder.hold?.("it");
    await holder.close();
    await up(looker);
    expect(await looker.findGone?.(["it"])).toEqual(["it"]);
  });
});
