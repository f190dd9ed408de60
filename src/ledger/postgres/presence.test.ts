import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { postgresWorld, upTo } from "../../../test/kit/postgres-world.ts";
import { postgresDatabase } from "../postgres.ts";

const world = postgresWorld();

describe("an owner", () => {
  const child = async (url: string, owner: string) => {
    const code = `
      const { postgresDatabase } = await import(${JSON.stringify(new URL("../postgres.ts", import.meta.url).href)});
      const database = await postgresDatabase({ url: ${JSON.stringify(url)} });
      await database.hold(${JSON.stringify(owner)});
      console.log("held");
      setInterval(() => {}, 1000);`;
    const started = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(started.stdout, "data");
    return started;
  };

  it("is alive while its process is, and not after kill -9", async () => {
    const url = await world.fresh();
    const database = await world.open(url);
    const holder = await child(url, "a child");
    expect(await Promise.all(upTo(8).map(() => database.isAlive("a child")))).toEqual(
      upTo(8).map(() => true),
    );
    holder.kill("SIGKILL");
    await once(holder, "exit");
    // The server notices it in its own time.
    await expect.poll(() => database.isAlive("a child"), { timeout: 20_000 }).toBe(false);
    expect(await database.isAlive("nobody ever")).toBe(false);
  }, 30_000);

  it("is alive again when its connection or the whole server was lost", async () => {
    const url = await world.fresh();
    const [holder, looker] = [await world.open(url), await world.open(url)];
    await holder.hold?.("it");
    await world.server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'haft'",
    );
    expect(await looker.isAlive("it")).toBe(true);
    await world.server.restart();
    expect(await looker.isAlive("it")).toBe(true);
    expect(await holder.isAlive("it")).toBe(true);
  }, 30_000);

  it("is gone once its database is closed", async () => {
    const url = await world.fresh();
    const [holder, looker] = [await postgresDatabase({ url }), await world.open(url)];
    await holder.hold?.("it");
    await holder.close();
    expect(await looker.isAlive("it")).toBe(false);
  }, 30_000);
});
