// Runs every command of docs/guides/gateway.md as it stands there, in an empty folder, and looks at what it says. Where
// the guide has a client, or something happens to the office, it names the step of steps.ts that is taken there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { haft, leave, root } from "./office.ts";
import { known, steps } from "./steps.ts";

const guide = readFileSync(new URL("docs/guides/gateway.md", root), "utf8");
const line = /^haft (?<words>.+?)(?:\s+# (?<note>.*))?$|^<!-- step: (?<step>\w+) -->$/gm;

const run = async (written: string, note: string): Promise<void> => {
  const words = [...written.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const filled = words.map((word) => known[word] ?? word);
  const { code, out } = await haft(filled);
  console.log(`$ haft ${filled.join(" ")}\n${out}`);
  assert.equal(code, Number(/exit (\d+)/.exec(note)?.[1] ?? 0), `haft ${written} exits with ${code}: ${out}`);
  const says = /says "([^"]+)"/.exec(note)?.[1];
  if (says !== undefined) assert.ok(out.includes(says), `haft ${written} does not say "${says}": ${out}`);
};

let count = 0;
try {
  for (const { groups = {} } of guide.matchAll(line)) {
    const { words, note = "", step } = groups;
    // What keeps running is started by the step that needs it.
    if (step !== undefined) await steps[step]!();
    else if (!words!.startsWith("serve")) await run(words!, note);
    count += 1;
  }
  assert.ok(count >= 15, "the guide has its commands and steps");
} finally {
  await leave();
}
console.log("every command of the guide does what it says");
