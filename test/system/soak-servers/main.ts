import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { soakServers } from "./list.ts";
import { type SoakResult, tryServer } from "./try-server.ts";

const usage = `usage: npm run soak:servers -- [--only NAME] [--json] [--folder FOLDER]
  Real MCP servers of the npm registry, each alone and behind a gateway.
  --only NAME      those with NAME in their name
  --json           the results as JSON
  --folder FOLDER  keep what is installed there, and use it again`;

const readWords = () => {
  try {
    const options = {
      only: { type: "string" },
      json: { type: "boolean" },
      folder: { type: "string" },
      help: { type: "boolean" },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
};

const { only = "", json = false, folder: kept, help = false } = readWords();
if (help) {
  console.log(usage);
  process.exit(0);
}
const wanted = soakServers.filter(({ name }) => name.includes(only));
if (wanted.length === 0) {
  console.error(`No server has ${JSON.stringify(only)} in its name.\n${usage}`);
  process.exit(2);
}

const folder = kept ?? mkdtempSync(join(tmpdir(), "haft-soak-"));
const results: SoakResult[] = [];
for (const server of wanted) {
  const result = await tryServer(folder, server);
  results.push(result);
  if (!json) console.log(row(result));
}
if (kept === undefined) rmSync(folder, { recursive: true, force: true });

const isBad = ({ trouble, lost, orphans }: SoakResult): boolean =>
  trouble !== undefined || lost.length > 0 || orphans > 0;
const bad = results.filter(isBad);
if (json) console.log(JSON.stringify(results, null, 2));
else {
  const tools = results.reduce((sum, { upstream }) => sum + upstream, 0);
  console.log(`\n${results.length} servers, ${tools} tools; ${bad.length} with trouble, a loss or an orphan`);
}
process.exitCode = bad.length === 0 ? 0 : 1;

/** A row of a Markdown table. */
function row({
  name,
  version,
  era,
  upstream,
  old,
  modern,
  held,
  lost,
  orphans,
  trouble,
}: SoakResult): string {
  const heldBack = held.map(({ tool, reason }) => `${tool.replace(/^s\//, "")}: ${reason}`).join("; ");
  const said = trouble ?? (lost.length > 0 ? `LOST ${lost.join(", ")}` : heldBack === "" ? "–" : heldBack);
  return `| ${name} | ${version} | ${era ?? "–"} | ${upstream} | ${old} | ${modern} | ${said.replaceAll("|", "\\|")} | ${orphans} |`;
}
