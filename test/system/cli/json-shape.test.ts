import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadCommand, type Option } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/commands.ts";
import { openLedger } from "../../../src/ledger/ledger-admin.ts";
import { example, fixture, haft, type Situation } from "../../cli/haft.ts";
import {
  createClosing,
  createOpening,
  runLedgerEffect as runEffect,
} from "../../contracts/ledger/ledger-fixtures.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const weather = fixture("weather.ts");
const teller = fixture("teller.ts");
const hello = example("hello-world/hello.gram");

interface World {
  readonly folder: string;
  readonly ledger: readonly string[];
}

interface Asked {
  readonly words: readonly string[];
  readonly situation?: Situation;
  /** Expected number of printed lines. */
  readonly lines: number;
}

/** Makes two calls that need approval and returns their request ids. */
const ask = async ({ ledger }: World): Promise<readonly string[]> => {
  for (const amount of [7, 8]) await haft(["call", "pay", `{"amount":${amount}}`, "-t", teller, ...ledger]);
  const { out } = await haft(["approvals", "--json", ...ledger]);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).id);
};

const run = async ({ ledger }: World, ...more: readonly string[]): Promise<string> => {
  const words = ["run", fixture("guide.ts"), "What is the weather in Oslo?", "-m", "offline", "--json"];
  return JSON.parse((await haft([...words, ...ledger, ...more])).out).runId;
};

const postgres = usePostgres();
const aborted = AbortSignal.abort();

/** A database with a fleet. */
const fleetPlace = async (): Promise<readonly string[]> => {
  const place = ["--ledger", await postgres.fresh()];
  await haft(["worker", hello, "-m", "offline", ...place], { signal: aborted });
  return place;
};

/** A database with a call and an anchor. */
const anchoredPlace = async (): Promise<readonly string[]> => {
  const place = ["--ledger", await postgres.fresh()];
  await haft(["call", "get_weather", "city=Oslo", "-t", weather, ...place]);
  await haft(["ledger", "anchor", ...place]);
  return place;
};

const submitted = ["1", "2"].map((digit) => `job-${"00000000-0000-4000-8000-00000000000"}${digit}`);

const inHome = ({ folder }: World): Situation => ({ env: { HOME: folder } });
const servers = { servers: { notes: { command: "notes-server" }, mail: { command: "mail-server" } } };

/** How to call each command so that it prints something. */
const asking: Readonly<Record<string, (world: World) => Promise<Asked>>> = {
  run: async ({ ledger }) => ({
    words: ["run", hello, "Hello, I'm Ada", "-m", "offline", ...ledger],
    lines: 1,
  }),
  call: async () => ({ words: ["call", "get_weather", '{"city":"Oslo"}', "-t", weather], lines: 1 }),
  tools: async () => ({ words: ["tools", "-t", weather, "--allow", "get_*"], lines: 2 }),
  explain: async () => ({ words: ["explain", "get_weather", "-t", weather], lines: 1 }),
  "policy check": async () => ({ words: ["policy", "check", "-t", weather], lines: 1 }),
  "policy test": async ({ folder }) => {
    const cases = join(folder, "cases.json");
    const one = { tool: "get_weather", expect: "allow" };
    await writeFile(cases, JSON.stringify([one, { ...one, expect: "deny" }]));
    return { words: ["policy", "test", cases, "-t", weather], lines: 2 };
  },
  serve: async () => {
    const stop = new AbortController();
    stop.abort();
    const words = ["serve", "--http", "--port", "0", "--no-reload", "-t", weather];
    return { words, situation: { signal: stop.signal }, lines: 2 };
  },
  studio: async () => {
    const stop = new AbortController();
    const situation = { signal: stop.signal, onOut: () => stop.abort() };
    return { words: ["studio", "--port", "0", "-t", weather], situation, lines: 1 };
  },
  worker: async () => ({
    words: ["worker", hello, "-m", "offline", "--ledger", await postgres.fresh()],
    situation: { signal: aborted },
    lines: 3,
  }),
  fleet: async () => ({ words: ["fleet", ...(await fleetPlace())], lines: 1 }),
  "fleet wake": async () => ({ words: ["fleet", "wake", ...submitted, ...(await fleetPlace())], lines: 2 }),
  "fleet drop": async () => ({ words: ["fleet", "drop", ...submitted, ...(await fleetPlace())], lines: 2 }),
  "import openapi": async () => ({
    words: ["import", "openapi", example("36-openapi/pets.yaml"), "--dry-run"],
    lines: 1,
  }),
  "mcp discover": async (world) => {
    await writeFile(join(world.folder, ".mcp.json"), JSON.stringify({ mcpServers: servers.servers }));
    return { words: ["mcp", "discover", "--project", world.folder], situation: inHome(world), lines: 2 };
  },
  "mcp add": async (world) => {
    const file = join(world.folder, "new.mcp.json");
    const words = ["mcp", "add", "notes", "--yes", "--file", file, "--", "notes-server"];
    return { words, situation: inHome(world), lines: 1 };
  },
  "mcp remove": async ({ folder }) => {
    const file = join(folder, "haft.mcp.json");
    await writeFile(file, JSON.stringify(servers));
    return { words: ["mcp", "remove", "notes", "--file", file], lines: 1 };
  },
  "mcp list": async ({ folder }) => {
    const file = join(folder, "haft.mcp.json");
    await writeFile(file, JSON.stringify(servers));
    return { words: ["mcp", "list", "--offline", "--file", file], lines: 2 };
  },
  "mcp show": async ({ folder }) => {
    const file = join(folder, "haft.mcp.json");
    await writeFile(file, JSON.stringify(servers));
    return { words: ["mcp", "show", "notes", "--file", file, "--project", folder], lines: 1 };
  },
  lock: async ({ folder }) => {
    await writeFile(join(folder, "haft.config.json"), '{"mcp": {"lock": "haft.lock"}}');
    await writeFile(join(folder, "haft.lock"), "{ broken");
    return { words: ["lock", "--check", "-c", join(folder, "haft.config.json")], lines: 1 };
  },
  "trust list": async ({ folder }) => {
    const situation = { env: { HAFT_CONFIG_DIR: join(folder, "config-of-list") } };
    await haft(["trust", "add", folder], situation);
    return { words: ["trust", "list"], situation, lines: 1 };
  },
  "trust add": async ({ folder }) => ({
    words: ["trust", "add", folder],
    situation: { env: { HAFT_CONFIG_DIR: join(folder, "config-of-add") } },
    lines: 1,
  }),
  "trust remove": async ({ folder }) => {
    const situation = { env: { HAFT_CONFIG_DIR: join(folder, "config-of-remove") } };
    await haft(["trust", "add", folder], situation);
    return { words: ["trust", "remove", folder], situation, lines: 1 };
  },
  "trust secret": async ({ folder }) => ({
    words: ["trust", "secret"],
    situation: { env: { HAFT_CONFIG_DIR: join(folder, "config-of-secret") } },
    lines: 1,
  }),
  "ledger anchor": async () => ({ words: ["ledger", "anchor", ...(await anchoredPlace())], lines: 1 }),
  "ledger anchors": async () => ({ words: ["ledger", "anchors", ...(await anchoredPlace())], lines: 1 }),
  "ledger migrate": async ({ ledger }) => ({ words: ["ledger", "migrate", ...ledger], lines: 1 }),
  log: async (world) => {
    await ask(world);
    return { words: ["log", ...world.ledger], lines: 2 };
  },
  approvals: async (world) => {
    await ask(world);
    return { words: ["approvals", ...world.ledger], lines: 2 };
  },
  approve: async (world) => ({ words: ["approve", ...(await ask(world)), ...world.ledger], lines: 2 }),
  deny: async (world) => ({ words: ["deny", ...(await ask(world)), ...world.ledger], lines: 2 }),
  settle: async ({ ledger }) => {
    const { store } = await openLedger(ledger[1]!);
    await runEffect(store.open(createOpening("entry-1")));
    await runEffect(store.close(createClosing("entry-1", { ending: "failed", code: "failed", ran: true })));
    await store.end();
    return { words: ["settle", "entry-1", "--did-not", ...ledger], situation: { answers: [] }, lines: 1 };
  },
  resume: async (world) => {
    const ids = await ask(world);
    await haft(["approve", ids[0]!, ...world.ledger]);
    const entries = (await haft(["approvals", "--status", "all", "--json", ...world.ledger])).out.split("\n");
    const approved = entries
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .find(({ id }) => id === ids[0]);
    return { words: ["resume", approved.runId, "-t", teller, ...world.ledger], lines: 1 };
  },
  runs: async (world) => {
    await run(world);
    await run(world);
    return { words: ["runs", ...world.ledger], lines: 2 };
  },
  "runs give-up": async (world) => {
    const ids = [await run(world), await run(world)];
    return { words: ["runs", "give-up", ...ids, ...world.ledger], lines: 2 };
  },
  replay: async (world) => {
    const id = await run(world, "--record");
    return { words: ["replay", id, fixture("guide.ts"), ...world.ledger], lines: 1 };
  },
  ab: async ({ folder }) => {
    const [library, inputs] = [join(folder, "a.mjs"), join(folder, "i.jsonl")];
    await writeFile(library, "export const sayHello = ({ name }) => 'Hello, ' + name;");
    await writeFile(inputs, '"Hello, I\'m Ada"\n');
    return { words: ["ab", hello, "--a", library, "--b", library, "-i", inputs, "-m", "offline"], lines: 1 };
  },
  migrate: async ({ folder }) => ({ words: ["migrate", "0.3", folder], lines: 1 }),
  doctor: async () => ({ words: ["doctor", "deno"], lines: 3 }),
  "gram check": async ({ folder }) => {
    const file = join(folder, "broken.gram");
    await writeFile(file, "(a)->(b)");
    return { words: ["gram", "check", hello, file], lines: 2 };
  },
};

const loaded = await Promise.all(commands.map(loadCommand));
const printing = loaded.flatMap(({ name, options }) => {
  const json = options.json as Option | undefined;
  return json === undefined ? [] : [{ name, prints: json.prints }];
});

describe("--json", () => {
  it("is tested for every command that supports it", () => {
    expect(Object.keys(asking).sort()).toEqual(printing.map(({ name }) => name).sort());
  });

  it.each(printing)("haft $name prints one JSON object per line ($prints)", async ({ name, prints }) => {
    const folder = await mkdtemp(join(tmpdir(), "haft-json-"));
    const world = { folder, ledger: ["--ledger", `sqlite:${join(folder, "ledger.db")}`] };
    const { words, situation, lines } = await asking[name]!(world);
    const end = words.indexOf("--");
    const asked = end < 0 ? [...words, "--json"] : [...words.slice(0, end), "--json", ...words.slice(end)];
    const { out, error } = await haft(asked, situation);
    expect(out, error).toMatch(/\n$/);
    const values = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const value of values) expect(value).toEqual(expect.any(Object));
    expect(values.some(Array.isArray)).toBe(false);
    expect(values).toHaveLength(lines);
    if (prints === "value") expect(lines).toBe(1);
    else expect(prints).toBe("lines");
  });
});
