import { expect, it } from "vitest";
import { run } from "../../../../test/contracts/ledger/rows.ts";
import { closing, opening } from "../../../../test/contracts/ledger-contract.ts";
import { masking, sqliteFolder } from "../../../../test/kit/sqlite-folder.ts";
import type { DurableLedger } from "../../../words/durable-ledger.ts";
import { sqliteDatabase } from "../../sqlite.ts";
import { durableLedger } from "../durable-ledger.ts";
import { birth, isThere } from "./host.ts";

const { fresh, connect } = sqliteFolder();
const minute = 60_000;

const at = (path: string, now: () => number): Promise<DurableLedger> =>
  durableLedger(sqliteDatabase({ path }), { redactor: masking, place: path, now });

/** Gives what is open at a path to an owner elsewhere, who was last heard at a time. */
const giveTo = (path: string, owner: string, heartbeat: number, born: Partial<ReturnType<typeof birth>>) => {
  const { host, pid, thread, born: since } = { ...birth(), ...born };
  const other = connect(path);
  other.exec(`UPDATE haft_entries SET owner = '${owner}' WHERE ending = 'open'`);
  other
    .prepare(
      "INSERT INTO haft_owners (owner, host, pid, thread, born, heartbeat, low) VALUES (?, ?, ?, ?, ?, ?, 0)",
    )
    .run(owner, host, pid, thread, since, heartbeat);
  other.close();
};

const elsewhere = { host: "another machine" };

it.each([
  ["heard within the last minute lives", 59_000, elsewhere, "open"],
  ["not heard for a minute is dead", 61_000, elsewhere, "unknown"],
  ["in another thread of this process lives while it is heard", 59_000, { thread: 77 }, "open"],
  ["in another thread that fell silent is dead", 61_000, { thread: 77 }, "unknown"],
  ["in this thread that no open store has is dead", 0, {}, "unknown"],
  ["whose process number somebody else has now is dead", 0, { born: "long ago" }, "unknown"],
  ["whose process number nobody has is dead", 0, { pid: 99_999_999 }, "unknown"],
] as const)("an owner %s", async (_, silence, born, ending) => {
  const path = fresh();
  let now = 10 * minute;
  const first = await at(path, () => now);
  await run(first.open(opening("1")));
  giveTo(path, "other", now - silence, born);
  now += 1;
  const next = await at(path, () => now);
  expect(await run(next.entries())).toMatchObject([{ entryId: "1", ending }]);
  await first.end();
  await next.end();
});

it("a store that slept tells that it lives together with the next call it writes", async () => {
  const path = fresh();
  let now = 10 * minute;
  const slow = await at(path, () => now);
  const heard = () => connect(path).prepare("SELECT heartbeat, low FROM haft_owners").all();
  for (const id of ["1", "2", "3"]) {
    await run(slow.open(opening(id)));
    if (id !== "2") await run(slow.close(closing(id)));
  }
  now += 31_000;
  await run(slow.open(opening("4")));
  // The first entry that is still open is where recovery begins to look.
  expect(heard()).toEqual([{ heartbeat: now, low: 3 }]);
  await slow.end();
});

it("a store that was taken for dead by mistake goes on, and makes itself known again", async () => {
  const path = fresh();
  let now = 10 * minute;
  const slow = await at(path, () => now);
  await run(slow.open(opening("1")));
  connect(path).exec("DELETE FROM haft_owners; UPDATE haft_entries SET ending = 'open'");
  now += 31_000;
  await run(slow.open(opening("2")));
  await run(slow.close(closing("2")));
  expect(connect(path).prepare("SELECT count(*) AS n FROM haft_owners").get()).toEqual({ n: 1 });
  await slow.end();
});

it("this very process is there, and is not where it never was", () => {
  expect(isThere(birth(), true)).toBe(true);
  expect(isThere({ ...birth(), pid: process.ppid, born: "" }, false)).toBe(process.platform !== "linux");
  expect(isThere({ ...birth(), host: "another machine" }, false)).toBeUndefined();
});
