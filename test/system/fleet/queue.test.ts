import { afterEach, describe, expect, it } from "vitest";
import { openQueue, type Queue } from "../../../src/fleet/open-queue.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";

describe("fleet queue", () => {
  const world = usePostgres();
  const opened: Queue[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((queue) => queue.close()));
  });
  const open = async (url: string): Promise<Queue> => {
    const queue = await openQueue({ url });
    opened.push(queue);
    return queue;
  };

  it("creates its schema once when two processes open it at the same time", async () => {
    const url = await world.fresh();
    const [queue] = await Promise.all([open(url), open(url)]);
    const rows = await queue!.sql(
      "SELECT schema_name FROM information_schema.schemata WHERE schema_name = $1",
      ["haft_jobs"],
    );
    expect(rows).toEqual([{ schema_name: "haft_jobs" }]);
  });

  it("delivers notifications between connections until the listener stops", async () => {
    const url = await world.fresh();
    const [here, there] = [await open(url), await open(url)];
    const received: unknown[] = [];
    const stop = await here.listen("haft_test", (payload) => received.push(payload));
    await there.sql("SELECT pg_notify('haft_test', 'one')");
    await waitFor(() => expect(received).toContain("one"));
    await stop();
    await there.sql("SELECT pg_notify('haft_test', 'two')");
    expect(received).not.toContain("two");
  });

  it("rejects a URL that is not PostgreSQL, and shows the expected form", async () => {
    await expect(openQueue({ url: "sqlite:./haft.db" })).rejects.toThrow(/postgres:\/\/user@host\/database/);
  });

  it("rejects an invalid schema name", async () => {
    const url = "postgres://127.0.0.1:1/x";
    await expect(openQueue({ url, schema: 'x"; DROP TABLE y; --' })).rejects.toThrow(
      /`schema` must be the name of the queue/,
    );
  });
});
