// Runs every command of the gateway guides in an empty folder, and checks the output. Where a guide uses a
// client, or the office changes, it names the step of steps.ts to run.
import assert from "node:assert/strict";
import { runPages } from "../page/run-pages.ts";
import { haft, leave } from "./office.ts";
import { known, steps } from "./steps.ts";

try {
  const count = await runPages({
    pages: ["gateway", "lock-mcp-tools", "run-the-gateway"].map((name) => `guides/${name}.md`),
    haft,
    known: { APPROVAL: () => known.$APPROVAL ?? "", ENTRY: () => known.$ENTRY ?? "" },
    steps,
    isStarted: ([command]) => command === "serve",
  });
  assert.ok(count >= 15, "the guides have their commands and steps");
} finally {
  await leave();
}
console.log("every command of the guides does what it says");
