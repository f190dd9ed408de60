import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runLedgerEffect } from "../../contracts/ledger/ledger-fixtures.ts";
import { createClosing, createOpening } from "../../contracts/ledger-contract.ts";
import { useSqliteFolder } from "../../kit/use-sqlite-folder.ts";

const { fresh, open, connect } = useSqliteFolder();

const from = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

/** Writes the given number of pairs, then opens one more entry and reports it. */
const program = (path: string, pairs: number): string => `
  import { runLedgerEffect as run } from ${from("../../contracts/ledger/ledger-fixtures.ts")};
  import { createClosing as closing, createOpening as opening } from ${from("../../contracts/ledger/ledger-fixtures.ts")};
  import { openDurableLedger } from ${from("../../../src/ledger/open-durable-ledger.ts")};
  import { redactor } from ${from("../../../src/base/json/redact.ts")};
  const ledger = await openDurableLedger(${JSON.stringify(`sqlite:${path}`)}, { redactor: redactor({}) });
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

it("two stores and another process write one chain without loss", async () => {
  const path = fresh();
  const stores = [await open(path), await open(path)];
  const ready = child(path, 100);
  const ids = Array.from({ length: 200 }, (_, i) => i);
  for (const id of ids) {
    await Promise.all(
      stores.map(async (store, number) => {
        await runLedgerEffect(store.open(createOpening(`${number}-${id}`)));
        await runLedgerEffect(store.close(createClosing(`${number}-${id}`)));
      }),
    );
  }
  const other = await ready;
  expect(await runLedgerEffect(stores[0]!.verify())).toMatchObject({ ok: true, rows: 1_001 });
  expect(await runLedgerEffect(stores[1]!.entries({ ending: "executed" }))).toHaveLength(500);
  expect(await runLedgerEffect(stores[1]!.entries({ ending: "open" }))).toHaveLength(1);
  other.kill("SIGKILL");
  await once(other, "exit");
});

it("open entries of a killed process read as unknown when the next store opens", async () => {
  const path = fresh();
  const other = await child(path, 1);
  const first = await open(path);
  expect(await runLedgerEffect(first.entries({ ending: "open" }))).toMatchObject([{ entryId: "left open" }]);
  other.kill("SIGKILL");
  await once(other, "exit");
  const next = await open(path);
  expect(await runLedgerEffect(next.entries({ ending: "unknown" }))).toMatchObject([
    { entryId: "left open" },
  ]);
  expect(connect(path).prepare("SELECT count(*) AS n FROM haft_owners").get()).toEqual({ n: 2 });
  expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
});

/** Starts a run with a call, reports it, and continues both on request. */
const holder = (path: string): string => `
  import * as Effect from "effect/Effect";
  import { createClosing as closing, createOpening as opening, runLedgerEffect as run } from ${from("../../contracts/ledger/ledger-fixtures.ts")};
  import { openDurableLedger } from ${from("../../../src/ledger/open-durable-ledger.ts")};
  import { redactor } from ${from("../../../src/base/json/redact.ts")};
  const ledger = await openDurableLedger(${JSON.stringify(`sqlite:${path}`)}, { redactor: redactor({}) });
  const runId = "r";
  const epoch = await run(ledger.runs.begin({ runId, agent: "a", principal: undefined, messages: [], at: 1 }));
  await run(ledger.open(opening("1", { runId, epoch })));
  let lost = 0;
  ledger.runs.watch(runId, () => { lost += 1; });
  console.log("ready");
  const codeOf = (effect) => Effect.runPromise(Effect.match(effect, { onSuccess: () => "written", onFailure: ({ code }) => code }));
  process.stdin.on("data", async () => {
    const codes = [
      await codeOf(ledger.close(closing("1", { epoch }))),
      await codeOf(ledger.open(opening("2", { runId, epoch }))),
      await codeOf(ledger.runs.end({ runId, epoch, status: "done", at: 2 })),
    ];
    console.log(JSON.stringify([...codes, lost]));
  });`;

const startHolder = async (path: string) => {
  const flags = ["--no-warnings", "--input-type=module-typescript", "-e", holder(path)];
  const made = spawn(process.execPath, flags, { stdio: ["pipe", "pipe", "inherit"] });
  await once(made.stdout, "data");
  const goOn = async (): Promise<unknown> => {
    const said = once(made.stdout, "data");
    made.stdin.write("go on\n");
    return JSON.parse(String(await said));
  };
  return { made, goOn };
};

it("a suspended process keeps its run, and continues it", async () => {
  const path = fresh();
  const { made, goOn } = await startHolder(path);
  made.kill("SIGSTOP");
  // Long enough to expire a heartbeat: the injected clock moves by minutes.
  let ms = 0;
  const ledger = await open(path, { times: { monotonic: () => ms, lookMs: 0 } });
  for (const passed of [0, 61_000, 122_000]) {
    ms = passed;
    expect(await runLedgerEffect(ledger.runs.claim("r", 2_000))).toBeUndefined();
  }
  expect(await runLedgerEffect(ledger.entries())).toMatchObject([{ entryId: "1", ending: "open" }]);
  made.kill("SIGCONT");
  expect(await goOn()).toEqual(["written", "written", "written", 0]);
  made.kill("SIGKILL");
  await once(made, "exit");
});

it("a suspended process cannot write to its run after the run was cancelled", async () => {
  const path = fresh();
  const { made, goOn } = await startHolder(path);
  made.kill("SIGSTOP");
  const ledger = await open(path);
  expect(await runLedgerEffect(ledger.runs.cancel("r", "ada", 2_000))).toBe("given-up");
  expect(await runLedgerEffect(ledger.entries())).toMatchObject([{ entryId: "1", ending: "unknown" }]);
  made.kill("SIGCONT");
  expect(await goOn()).toEqual(["claim_lost", "claim_lost", "claim_lost", 1]);
  expect(await runLedgerEffect(ledger.runs.find("r"))).toMatchObject({ status: "stopped" });
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
  made.kill("SIGKILL");
  await once(made, "exit");
});
