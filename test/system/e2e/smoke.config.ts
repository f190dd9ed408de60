import { readdirSync, readFileSync } from "node:fs";
import { mergeConfig } from "vitest/config";
import { randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import whole from "./vitest.config.ts";

/** What must work before anything else does. */
const core = [
  "the overview counts calls, failures, cost and questions, and groups them by who made them",
  "a failed call shows in eight stages where it ended, how often it was tried, and what was told",
  "allowing makes the call, takes the question from the list, and says who answered",
  "an edit by form is held to the schema, and what runs is what was edited",
  "a form calls the tool down the corridor, as who is signed in and as somebody else",
  "a changed tool is reviewed like code, its dangers accepted by name, and the lock written",
  "an answer is shown as it is said, calls are cards, and the next message knows what was said",
  "a server that is gone is said, and once it is back the page goes on without a reload",
  "a link opens one session: whoever has it second is told, and sees nothing",
  "somebody finds the failing call, sees why it failed, and approves the one that waits",
];
/** And over PostgreSQL, where two answers meet in the database. */
const overPostgres = "of two people who answer at once one counts, and the other is told who was faster";

/** So many others, chosen by a seed: HAFT_E2E_SEED=7 chooses others. */
const others = 4;
const seed = Number(process.env.HAFT_E2E_SEED ?? 1);

const folder = new URL(".", import.meta.url);
const titles = readdirSync(folder)
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/\bit\("([^"]+)"/g)])
  .map(([, title]) => title!);
const gone = [...core, overPostgres].filter((title) => !titles.includes(title));
if (gone.length > 0) throw new Error(`No test is called so any more: ${gone.join("; ")}`);

const random = randomStream(seed, "smoke");
const rest = titles.filter((title) => !core.includes(title) && title !== overPostgres);
const chosen = Array.from({ length: others }, () => rest.splice(Math.floor(random() * rest.length), 1)[0]!);

const escaped = (title: string): string => title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
const onSqlite = [...core, ...chosen].map(escaped).join("|");

/** A part of the same tests that takes little time: the core, and a few by seed. */
export default mergeConfig(whole, {
  test: {
    testNamePattern: new RegExp(
      `^(?!.*over postgres).*(${onSqlite})$|over postgres.*${escaped(overPostgres)}$`,
    ),
  },
});
