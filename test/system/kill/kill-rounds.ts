import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { redactor } from "../../../src/base/json/redact.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { bundleProgram } from "../kit/bundle-program.ts";

/** The killed process: Haft agents, or framework loops over sessions. */
export type Victim = keyof typeof victims;

const victims = {
  victim: new URL("victim.ts", import.meta.url),
  "session-victim": new URL("session-victim.ts", import.meta.url),
};

export const buildVictim = (victim: Victim, folder: string): Promise<string> =>
  bundleProgram(victims[victim], folder);

/**
 * Runs the victim to its end, or kills it after a number of marks and a moment more, so that a busy machine
 * gets as far as an idle one.
 */
export const runVictim = (
  victim: string,
  place: string,
  folder: string,
  seed: string,
  kill: Kill | undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const last = kill === undefined ? ["last"] : [];
    const child = spawn(process.execPath, ["--no-warnings", victim, place, folder, seed, ...last], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    let marks = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      const before = marks;
      marks += chunk.length;
      if (kill === undefined || before > kill.afterMarks || marks <= kill.afterMarks) return;
      // allow-sleep: a random moment for the kill
      setTimeout(() => child.kill("SIGKILL"), kill.andMs);
    });
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL" || (kill === undefined && code === 0)) resolve();
      else reject(new Error(`The victim ended by itself (${code ?? signal}): ${said}`));
    });
  });

/** When a process is killed: the first mark means ready, each further one that it wrote something. */
export interface Kill {
  readonly afterMarks: number;
  readonly andMs: number;
}

/** Results of the ledger and the tools' own count after the kill. */
export interface Findings {
  readonly calls: number;
  readonly executions: number;
  readonly unknown: number;
  /** Violated invariants; empty when the test passes. */
  readonly broken: readonly string[];
}

export const inspect = async (place: string, folder: string): Promise<Findings> => {
  const ledger = await openDurableLedger(place, { redactor: redactor() });
  try {
    const broken: string[] = [];
    const verification = await Effect.runPromise(ledger.verify());
    if (!verification.ok) broken.push(`the chain is broken: ${verification.broken?.why}`);
    const read = async () => (await Effect.runPromise(ledger.entries())).filter(({ tool }) => tool === "pay");
    // PostgreSQL notices the lost connection of the killed process with a delay.
    const entries = await waitFor(async () => {
      const rows = await read();
      if (rows.some(({ ending }) => ending === "open"))
        throw new Error("A call of the killed process is still open.");
      return rows;
    });
    const byId = new Map(entries.map((entry) => [entry.entryId, entry]));
    for (const entryId of lines(folder, "acknowledged")) {
      const ending = byId.get(entryId)?.ending;
      if (byId.has(entryId) && ending !== "executed" && ending !== "failed")
        broken.push(`${entryId} was acknowledged and reads ${ending}`);
    }
    const executed = lines(folder, "executed");
    const times = new Map<string, number>();
    for (const mark of executed) times.set(mark, (times.get(mark) ?? 0) + 1);
    const entryOf = new Map(entries.map((entry) => [markOf(entry.input), entry]));
    for (const [mark, count] of times) {
      if (count > 1) broken.push(`${mark} was executed ${count} times`);
      if (!entryOf.has(mark)) broken.push(`${mark} was executed without an entry`);
    }
    for (const [mark, { ending }] of entryOf) {
      if (ending === "open" || ending === "pending") broken.push(`${mark} still reads ${ending}`);
      if (ending === "executed" && times.get(mark) !== 1)
        broken.push(`${mark} reads executed and ran ${times.get(mark) ?? 0} times`);
    }
    const unknown = entries.filter(({ ending }) => ending === "unknown").length;
    return { calls: entries.length, executions: executed.length, unknown, broken };
  } finally {
    await ledger.end();
  }
};

const markOf = (input: string): string => (JSON.parse(input) as { readonly mark: string }).mark;

/** The last line may be incomplete, because its writer was killed. */
const lines = (folder: string, file: string): readonly string[] => {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
};
