import { randomBytes } from "node:crypto";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { PgBoss } from "pg-boss";
import { fleet, openWorker } from "../dist/fleet.js";
import { agent, Haft, type Message, type ModelReply, tool } from "../dist/index.js";
import { startPostgres } from "../test/kit/postgres.ts";

/**
 * Runs of a fleet in a second, beside jobs of pg-boss alone that do nothing, and beside the same runs by `haft.run` in one
 * process: two questions to a scripted model and one call each, everything on record in PostgreSQL.
 */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000" },
    concurrency: { type: "string", default: "64" },
    json: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
const concurrency = Number(values.concurrency);
process.env.HAFT_LEDGER_KEY ??= randomBytes(32).toString("base64");

const perSecond = async (work: () => Promise<unknown>): Promise<number> => {
  const since = performance.now();
  await work();
  return Math.round(runs / ((performance.now() - since) / 1_000));
};
const each = Array.from({ length: runs }, (_, n) => n);

const alone = async (url: string) => {
  const boss = new PgBoss({ connectionString: url });
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue("jobs");
  const sent = await perSecond(() => Promise.all(each.map((n) => boss.send("jobs", { n }))));
  const worked = await perSecond(async () => {
    for (;;) {
      const jobs = await boss.fetch("jobs", { batchSize: concurrency });
      if (jobs.length === 0) return;
      await boss.complete(
        "jobs",
        jobs.map(({ id }) => id),
      );
    }
  });
  await boss.stop({ graceful: false });
  return { sent, worked };
};

const usage = { inputTokens: 1, outputTokens: 1 };
const reply = (messages: readonly Message[]): ModelReply =>
  messages.some(({ role }) => role === "tool")
    ? { text: "done", calls: [], finish: "stop", usage }
    : { text: "", calls: [{ id: "c", tool: "work", input: "{}" }], finish: "calls", usage };
const clerk = agent({
  name: "clerk",
  instructions: "Work.",
  tools: ["work"],
  model: {
    id: "scripted",
    generate: async ({ messages }) => reply(messages),
    stream: async function* ({ messages }) {
      yield { kind: "reply", reply: reply(messages) };
    },
  },
});
const tools = [tool({ name: "work", description: "Works.", input: { type: "object" }, run: () => "ok" })];

const together = async (ledger: string) => {
  const open = () =>
    Haft.open({ tools, ledger, principal: { agent: "front", allow: ["*"] }, fleet: fleet() });
  const front = await open();
  const submitted = await perSecond(() => Promise.all(each.map((n) => front.submit(clerk, `${n}`))));
  const back = await open();
  const worker = await openWorker(back, { agents: [clerk], concurrency });
  const worked = await perSecond(async () => {
    while (worker.health().ended < runs) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  await worker.drain();
  let at = 0;
  const inOneProcess = await perSecond(() =>
    Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (at++ < runs) await back.run(clerk, "x");
      }),
    ),
  );
  await back.close();
  await front.close();
  return { submitted, worked, inOneProcess };
};

const postgres = await startPostgres(["max_connections=200"]);
try {
  const jobs = await alone(await postgres.createDatabase("alone"));
  const runsOf = await together(await postgres.createDatabase("fleet"));
  const result = { runs, concurrency, cores: cpus().length, load: loadavg()[0], alone: jobs, fleet: runsOf };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(
      `${runs} runs, ${concurrency} at once, ${result.cores} cores, load ${result.load?.toFixed(1)}`,
    );
    console.log(`pg-boss alone   sent ${jobs.sent}/s, fetched and completed ${jobs.worked}/s`);
    console.log(`fleet           submitted ${runsOf.submitted}/s, worked ${runsOf.worked}/s`);
    console.log(`haft.run        ${runsOf.inOneProcess}/s in one process`);
  }
} finally {
  await postgres.stop();
}
