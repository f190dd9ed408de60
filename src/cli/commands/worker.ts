import { CommandUsageError, command, exitCodes, jsonLines, readCount, waitForAbort } from "../command.ts";
import { loadAgent } from "../load-agent.ts";
import { openRuntimeWith, recordedRuntimeOptions, resolveRuntimeOptions } from "../open-runtime.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";

/** Runs submitted runs until it is stopped. */
export const worker = command({
  operands: "AGENT…",
  options: {
    ...recordedRuntimeOptions,
    model: {
      type: "string",
      short: "m",
      value: "NAME",
      about:
        'provider/model-id, or "offline"; each agent\'s own unless given, offline where its key is missing',
    },
    concurrency: { type: "string", value: "N", about: "maximum number of parallel runs; default 16" },
    batch: {
      type: "string",
      value: "N",
      about: "maximum number of runs fetched at once; default: --concurrency",
    },
    attempts: {
      type: "string",
      value: "N",
      about: "attempts before a run becomes a dead letter; default 5",
    },
    grace: {
      type: "string",
      value: "SECONDS",
      about: "time that runs get to finish after the worker is stopped; default 30",
    },
    "health-port": {
      type: "string",
      value: "NUMBER",
      about: "port for /healthz and /readyz; 0 picks a free port",
    },
    "health-host": {
      type: "string",
      value: "ADDRESS",
      about: "address for /healthz and /readyz; default 127.0.0.1",
    },
    schema: { type: "string", value: "NAME", about: "the schema of the queue; default haft_jobs" },
    json: jsonLines("what happens"),
  },
  examples: [
    {
      line: "haft worker clerk.ts --ledger postgres://localhost/haft",
      about: "process runs queued for the agent of clerk.ts",
    },
    {
      line: "haft worker clerk.ts teller.gram --concurrency 32 --health-port 8080",
      about: "two agents, with health checks",
    },
    { line: "haft fleet", about: "workers and the queue" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length === 0) throw new CommandUsageError("haft worker requires the files of its agents.");
    if (options["health-host"] !== undefined && options["health-port"] === undefined) {
      throw new CommandUsageError("--health-host requires --health-port.");
    }
    const port = readCount("health-port", options["health-port"]);
    const grace = readCount("grace", options.grace) ?? 30;
    const counts = {
      concurrency: readCount("concurrency", options.concurrency, 1),
      batchSize: readCount("batch", options.batch, 1),
      attempts: readCount("attempts", options.attempts, 1),
    };
    const loaded = await Promise.all(operands.map((file) => loadAgent(file, options, terminal)));
    const byName = new Map(loaded.map((each) => [each.agent.name, each]));
    const [{ fleet }, { openWorker }] = await Promise.all([
      import("../../fleet/fleet.ts"),
      import("../../fleet/open-worker.ts"),
    ]);
    const { schema } = options;
    const opening = await resolveRuntimeOptions({ ...options, model: undefined }, terminal, {
      agent: "worker",
      ledger: "default",
      asks: false,
    });
    await using opened = await openRuntimeWith({
      ...opening,
      fleet:
        schema === undefined && opening.fleet !== undefined
          ? opening.fleet
          : fleet({ ...(schema && { schema }) }),
    });
    const { dim, red } = painter(terminal);
    const tell = (event: string, words: string, facts: object = {}): void => {
      if (options.json === true) terminal.out(toJsonLine({ event, ...facts }));
      else terminal.error(`${event === "trouble" ? red("haft: ") : ""}${words}\n`);
    };
    const worker = await openWorker(opened.haft, {
      ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined)),
      agents: loaded.map(({ agent }) => agent),
      graceMs: grace * 1_000,
      run: ({ name }) => {
        const { model, library } = byName.get(name)!;
        return { model, ...(library === undefined ? {} : { library }) };
      },
      onTrouble: (error) => {
        const message = plainText(error instanceof Error ? error.message : String(error));
        tell("trouble", message, { message });
      },
    });
    const { id } = worker.health();
    const agents = [...byName.keys()];
    const { serveHealth } = await import("../fleet/serve-health.ts");
    const health =
      port === undefined ? undefined : await serveHealth(worker, port, options["health-host"] ?? "127.0.0.1");
    const where = health === undefined ? "" : ` Readiness: ${health.url}/readyz.`;
    const names = agents.map(plainText).join(", ");
    tell("working", `Processing runs of ${names}. Ctrl-C stops the worker.${where}`, {
      id,
      agents,
      ...(health === undefined ? {} : { health: health.url }),
    });
    await Promise.race([waitForAbort(terminal.signal), worker.closed]);
    tell("draining", dim(`Waiting up to ${grace} seconds for running runs to finish.`), { id });
    await worker.drain();
    await health?.close();
    const { taken, ended } = worker.health();
    tell("closed", dim(`Fetched ${taken} runs and finished ${ended}.`), { id, taken, ended });
    const why = await worker.closed;
    if (why !== undefined) throw new Error(why);
    return exitCodes.done;
  },
});
