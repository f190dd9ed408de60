import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Haft } from "haft";
import { calls, scriptedModel } from "haft/testing";
import { afterAll, expect, it } from "vitest";
import { deskOf, principal, tools } from "./fixtures/desk.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-search-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
it("a run resumed by another process offers its model the same tools and those called since", async () => {
  const ledger = `sqlite:${join(folder, "haft.db")}`;
  const model = scriptedModel([
    calls(["load_tools", { names: ["send_email"] }]),
    calls(["load_tools", { names: ["close_account"] }], ["pay_invoice", {}]),
  ]);
  const desk = deskOf(model);
  const haft = await Haft.open({ tools, principal, ledger });
  const { status, runId } = await haft.run(desk, "Pay");
  await haft.close();
  expect(status).toBe("pending");
  const last = model.requests.at(-1)!.tools.map(({ wireName }) => wireName);
  expect(last).toEqual(["load_tools", "search_tools", "ship_parcel", "send_email"]);
  const script = join(import.meta.dirname, "fixtures/successor.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, ledger, runId]);
  expect(JSON.parse(stdout)).toEqual({
    status: "done",
    shown: [[...last, "close_account", "pay_invoice"]],
  });
});
