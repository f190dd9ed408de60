import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsOf, victimWorld } from "./victim-tools.ts";

/**
 * A framework loop as the victim: it stores its progress in a file, repeats the calls of its last turn after
 * a kill, and does not read the ledger.
 */
const [place = "", folder = "", seed = "", last = ""] = process.argv.slice(2);
const { write, open } = victimWorld(place, folder);

const fileOf = (name: string): string => join(folder, `loop-${name}.json`);
const turnOf = (name: string): number =>
  existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), "utf8")) : 0;
const keep = (name: string, turn: number): void => {
  writeFileSync(`${fileOf(name)}.new`, JSON.stringify(turn));
  renameSync(`${fileOf(name)}.new`, fileOf(name));
};

await using haft = await open();

const drive = async (name: string): Promise<void> => {
  const session = haft.session({ id: name });
  keep(name, turnOf(name));
  for (let turn = turnOf(name); ; turn += 1) {
    keep(name, turn);
    const calls = callsOf(name, turn);
    if (calls.length === 0) break;
    const replies = await session.turn(calls);
    if (replies.length !== calls.length)
      throw new Error(`${replies.length} replies in turn ${turn} of ${name}`);
    const lost = replies.find(
      ({ failure }) => failure?.code === "still_running" || failure?.code === "claim_lost",
    );
    if (lost !== undefined) throw new Error(`${name}: ${lost.text}`);
  }
  // A loop killed after this line finds its session ended.
  await session.end().catch((error: { readonly code?: string }) => {
    if (error.code !== "not_answered") throw error;
  });
  keep(name, -1);
  write("finished", name);
};

// Loads lazy modules now, or most kills would hit the module loading.
await haft.session({ id: `warm-${seed}` }).turn([]);
process.stdout.write(".");

const left = readdirSync(folder).flatMap((file) => /^loop-(.*)\.json$/.exec(file)?.[1] ?? []);
for (const name of left) if (turnOf(name) >= 0) await drive(name);
if (last === "") {
  for (let number = 0; ; number++) {
    await Promise.all([`${seed}-${number}a`, `${seed}-${number}b`].map(drive));
  }
}
