import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it("SQLite ledgers of 0.2.0 in every state open, migrate, verify and resume", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-old-ledgers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(here("ledgers"), folder, { recursive: true });
  // Git keeps no file modes, and keys readable by others are rejected.
  for (const file of readdirSync(folder)) if (file.endsWith(".key")) chmodSync(join(folder, file), 0o600);
  const names = readdirSync(folder).flatMap((file) => (file.endsWith(".db") ? [file.slice(0, -3)] : []));
  const args = ["--import", here("haft-source.mjs"), here("check-ledgers.mjs"), folder, ...names];
  const env = { ...process.env, HAFT_SOURCE: here("../../.."), HAFT_CONFIG_DIR: join(folder, "config") };
  const { stdout } = spawnSync(process.execPath, args, { env, encoding: "utf8", maxBuffer: 1 << 28 });
  expect(stdout.match(/^ +FAIL.*$/gm) ?? []).toEqual([]);
  expect(stdout).toMatch(/^\d{3,} checks, 0 failed$/m);
});
