// Runs every command of docs/guides/who-did-what.md as it stands there, in an empty folder, and looks at what it says.
// Then its programs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guides/who-did-what.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "who-did-what-"));

/** An installed package, and the files of this example. */
cpSync(fileURLToPath(new URL(".", import.meta.url)), folder, { recursive: true });
mkdirSync(join(folder, "node_modules"));
symlinkSync(root, join(folder, "node_modules/haft"));

const haft = (words: readonly string[]): { readonly code: number; readonly out: string } => {
  const env = { ...process.env, NO_COLOR: "1", HAFT_LEDGER: "" };
  const main = join(root, "dist/cli/main.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { cwd: folder, env });
  return { code: status ?? -1, out: `${stdout}${stderr}` };
};

const json = (...words: readonly string[]): readonly Record<string, string>[] =>
  haft([...words, "--json"])
    .out.trim()
    .split("\n")
    .flatMap((line) => JSON.parse(line));

/** What the reader takes from the screen and puts into the next command. */
const known: Record<string, () => string> = {
  RUN: () => json("log", "--runs")[0]?.runId ?? "",
  APPROVAL: () => json("approvals", "--status", "all")[0]?.id ?? "",
  ENTRY: () => json("log", "--tool", "refund")[0]?.entryId ?? "",
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const commands = [...guide.matchAll(/^haft (.+?)(?:\s+# (.*))?$/gm)].map(([, words = "", note = ""]) => ({
  words: [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""),
  note,
}));
assert.ok(commands.length >= 8, "the guide has its commands");

try {
  for (const { words, note } of commands) {
    const filled = words.map((word) => (word.startsWith("$") ? (known[word.slice(1)]?.() ?? word) : word));
    const { code, out } = haft(filled);
    console.log(`$ haft ${filled.join(" ")}\n${out}`);
    const expected = Number(/exit (\d+)/.exec(note)?.[1] ?? 0);
    assert.equal(code, expected, `haft ${words.join(" ")} exits with ${code}`);
    const says = /says "([^"]+)"/.exec(note)?.[1];
    if (says !== undefined) assert.match(out, new RegExp(says));
  }
  const env = { ...process.env, PORT: String(await freePort()) };
  for (const file of ["in-code.ts", "webhook.ts"]) {
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: folder, env });
    assert.equal(status, 0, `${file} ends with ${status}: ${stderr}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
