// Runs every command of the gateway's guides as it stands there, in an empty folder, and looks at what it says. Where a
// guide has a client, or something happens to the office, it names the step of steps.ts that is taken there.
import assert from "node:assert/strict";
import { runPages } from "../page/run-pages.ts";
import { haft, leave } from "./office.ts";
import { known, steps } from "./steps.ts";

try {
  const count = await runPages({
    pages: ["gateway", "gateway-callers", "lock-mcp-tools", "run-the-gateway"].map(
      (name) => `guides/${name}.md`,
    ),
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
