import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { Reply } from "../../../src/types/outcome.ts";
import { openShop } from "./shop.ts";

it("a killed program with a pending call resumes in another process, runs each of its twenty tools once and records the tree", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-purchase-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ledger = `sqlite:${join(folder, "ledger.db")}`;
  const witness = join(folder, "ran.txt");

  const buyer = spawn(
    process.execPath,
    [fileURLToPath(new URL("buyer.ts", import.meta.url)), ledger, witness],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void buyer.kill("SIGKILL"));
  const [line] = (await once(createInterface(buyer.stdout), "line")) as [string];
  const waiting = JSON.parse(line) as Reply;
  expect(waiting).toMatchObject({ ok: false, pending: { tool: "pay", input: { n: 910 } } });
  buyer.kill("SIGKILL");
  await once(buyer, "exit");

  const haft = await openShop(ledger, witness);
  onTestFinished(() => haft.close());
  const reply = await haft.resume(waiting.pending!.id, { kind: "allow" });
  expect(reply).toMatchObject({
    ok: true,
    value: { value: { total: 910, paid: 910, last: 140 }, logs: ["paid 910"], calls: 20 },
  });

  const ran = readFileSync(witness, "utf8").trimEnd().split("\n");
  expect(ran).toHaveLength(20);
  expect(new Set(ran).size).toBe(20);
  const entries = await haft.log({});
  const program = entries.find(({ tool }) => tool === "run-code")!;
  expect(entries.filter(({ parentId }) => parentId === program.entryId)).toHaveLength(20);
  expect(entries.every(({ ending }) => ending === "executed")).toBe(true);
  expect(program.attempts?.map(({ ending }) => ending)).toEqual(["suspended", "ended"]);
});
