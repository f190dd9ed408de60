import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run } from "../../../test/contracts/ledger/rows.ts";
import { closing, opening } from "../../../test/contracts/ledger-contract.ts";
import { sqliteFolder } from "../../../test/kit/sqlite-folder.ts";

const { fresh, open, connect } = sqliteFolder();

const from = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

/** Writes pairs until it has written so many, then leaves one open and says so. */
const program = (path: string, pairs: number): string => `
  import { run } from ${from("../../../test/contracts/ledger/rows.ts")};
  import { closing, opening } from ${from("../../../test/contracts/ledger/rows.ts")};
  import { openLedger } from ${from("../open-ledger.ts")};
  import { redactor } from ${from("../../json/redact.ts")};
  const ledger = await openLedger(${JSON.stringify(`sqlite:${path}`)}, { redactor: redactor({}) });
  for (let i = 0; i < ${pairs}; i++) {
    await run(ledger.open(opening("child-" + i)));
    await run(ledger.close(closing("child-" + i)));
  }
  await run(ledger.open(opening("left open")));
  console.log("ready");
  setInterval(() => {}, 1_000);`;

const child = async (path: string, pairs: number): Promise<ChildProcess> => {
  const flags = ["--no-warnings", "--input-type=module-typescript", "-e", program(path, pairs)];
  const made = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
  await once(made.stdout, "data");
  return made;
};

it("two stores and another process write one chain, and nothing is lost", async () => {
  const path = fresh();
  const stores = [await open(path), await open(path)];
  const ready = child(path, 100);
  const ids = Array.from({ length: 200 }, (_, i) => i);
  for (const id of ids) {
    await Promise.all(
      stores.map(async (store, number) => {
        await run(store.open(opening(`${number}-${id}`)));
        await run(store.close(closing(`${number}-${id}`)));
      }),
    );
  }
  const other = await ready;
  expect(await run(stores[0]!.verify())).toMatchObject({ ok: true, rows: 1_001 });
  expect(await run(stores[1]!.entries({ ending: "executed" }))).toHaveLength(500);
  expect(await run(stores[1]!.entries({ ending: "open" }))).toHaveLength(1);
  other.kill("SIGKILL");
  await once(other, "exit");
}, 30_000);

it("what a killed process had under way reads unknown as soon as the next one opens", async () => {
  const path = fresh();
  const other = await child(path, 1);
  const first = await open(path);
  expect(await run(first.entries({ ending: "open" }))).toMatchObject([{ entryId: "left open" }]);
  other.kill("SIGKILL");
  await once(other, "exit");
  const next = await open(path);
  expect(await run(next.entries({ ending: "unknown" }))).toMatchObject([{ entryId: "left open" }]);
  expect(connect(path).prepare("SELECT count(*) AS n FROM haft_owners").get()).toEqual({ n: 2 });
  expect(await run(next.verify())).toMatchObject({ ok: true });
}, 30_000);
