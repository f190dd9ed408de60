// Runs every command of docs/tutorial.md, and compares its output with the page.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openProject } from "../page/project.ts";
import { runPages } from "../page/run-pages.ts";

const { folder, haft, json, leave } = openProject("tutorial", new URL(".", import.meta.url), ["zod"]);
// The reader only has files that the page asks for.
rmSync(join(folder, "main.ts"));

const npm = (line: string) => (): void => {
  const { status, stderr } = spawnSync(line, { cwd: folder, shell: true });
  assert.equal(status, 0, `${line}: ${stderr}`);
};
const linked = (): void => {}; // openProject has linked the packages as npm would

try {
  const count = await runPages({
    pages: ["tutorial.md"],
    haft,
    known: {
      RUN: () => json("runs")[0]?.runId ?? "",
      APPROVAL: () => json("approvals", "--status", "all")[0]?.id ?? "",
      ENTRY: () => json("log", "--tool", "refund").at(-1)?.entryId ?? "",
    },
    others: {
      "mkdir shop && cd shop": () => {},
      "npm init -y && npm pkg set type=module": npm("npm init -y && npm pkg set type=module"),
      "npm install ../haft/haft-0.3.0.tgz zod": linked,
    },
    checksOutput: true,
  });
  assert.ok(count >= 12, "the tutorial has its commands");
  const refunds = json("log", "--tool", "refund").map(({ ending }) => ending);
  assert.deepEqual(refunds, ["executed", "failed", "executed"]);
} finally {
  leave();
}
console.log("every command of the tutorial does what it says");
