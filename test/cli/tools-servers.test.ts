import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { haft } from "./haft.ts";

it("haft tools reports on standard error that an unreadable lock holds back the tools of a server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-tools-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "haft.config.json");
  writeFileSync(config, JSON.stringify({ mcp: { servers: { files: { command: "no-such-server" } } } }));
  writeFileSync(join(folder, "haft.lock"), "{ broken");
  const { code, out, error } = await haft(["tools", "-c", config]);
  expect(code).toBe(0);
  expect(out).not.toContain("files/");
  expect(error).toMatch(/^! files: it is \w+: .*haft\.lock/);
  expect(error).toContain("Restore the file from version control");
});
