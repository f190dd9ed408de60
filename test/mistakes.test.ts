import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, Haft, type HaftOptions, http, hydrate, type Rule, tool, workspace } from "haft";
import { signatureToSchema } from "haft/gram";
import { retry } from "haft/layers";
import { anthropic } from "haft/models/anthropic";
import { openai } from "haft/models/openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { missingPackage, packageProblem } from "../src/base/platform/peer-packages.ts";
import { haft as command, fixture } from "./cli/haft.ts";
import { record, seed } from "./cli/seed.ts";

const refund = tool({
  name: "refund",
  description: "Refunds an order",
  input: {
    type: "object",
    properties: { order: { type: "string" }, euros: { type: "number", minimum: 1 } },
    required: ["order", "euros"],
    additionalProperties: false,
  } as const,
  run: () => "done",
});
const principal = { agent: "clerk", allow: ["*"] };

let folder = "";
let closedPort = 0;
let place = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-mistakes-"));
  await writeFile(join(folder, "broken.json"), "{ not json");
  await writeFile(join(folder, "typo.json"), JSON.stringify({ principle: principal }));
  await writeFile(join(folder, "typo.gram"), '[a:Agent {instruction: "i", modle: "openai/x"}]\n');
  await writeFile(
    join(folder, "toolless.gram"),
    '[a:Agent {instruction: "i"} | [t:Tool {description: "d"}]]\n',
  );
  await writeFile(join(folder, "text.db"), "this is not a database");
  await writeFile(join(folder, "empty.ts"), "export const nothing = 1;\n");
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  closedPort = (listener.address() as { readonly port: number }).port;
  await new Promise((closed) => listener.close(closed));
  place = await seed((ledger) => record(ledger, 1));
});

type Fails = () => unknown;
const open = (options: object) => async () =>
  (await Haft.open({ principal, ...options } as HaftOptions)).close();
const rule = (more: object) =>
  open({ tools: [refund], policy: { rules: [{ effect: "allow", ...more } as Rule], strict: true } });
/** Warnings while the runtime opens are part of what the user reads. */
const warnings: string[] = [];
const on = {
  "policy.problem": ({ message, suggestion = "" }: { message: string; suggestion?: string }) =>
    void warnings.push(`${message} ${suggestion}`),
};
const call =
  (name: string, input: unknown, options: object = {}) =>
  async () => {
    await using haft = await Haft.open({ tools: [refund], principal, on, ...options } as HaftOptions);
    return await haft.call(name as "refund", input as never);
  };
const define = (more: object) => () =>
  tool({
    name: "t",
    description: "d",
    input: { type: "object", properties: {} },
    run: () => 1,
    ...more,
  } as never);

/** What the user does, and what the message must say about the remedy. */
const mistakes: readonly (readonly [what: string, fails: Fails, remedy: RegExp])[] = [
  ["an option of Haft.open is misspelled", open({ tool: [refund] }), /Did you mean "tools"/],
  ["tools is not a list", open({ tools: refund }), /create tools with tool\(/],
  ["a tool is a plain object", open({ tools: [{ name: "x", run: () => 1 }] }), /create tools with tool\(/],
  ["two tools of one name", open({ tools: [refund, refund] }), /withName\(\)/],
  ["principal without an agent", open({ principal: { allow: ["*"] } }), /needs an `agent`/],
  ["principal.allow is a text", open({ principal: { agent: "a", allow: "*" } }), /such as \["get_\*"\]/],
  [
    "a call without a principal",
    call("refund", { order: "1", euros: 5 }, { principal: undefined }),
    /Set a principal in Haft\.open\(\{ principal \}\)/,
  ],
  [
    "a principal without allow",
    call("refund", { order: "1", euros: 5 }, { principal: { agent: "clerk" } }),
    /allow: \["refund"\], or allow: \["\*"\]/,
  ],
  [
    "a principal that names another tool",
    call("refund", { order: "1", euros: 5 }, { principal: { agent: "c", allow: ["refnd"] } }),
    /Did you mean "refund"/,
  ],
  ["config has an unknown group", open({ config: { exection: {} } }), /did you mean "execution"/],
  [
    "config has a wrong type",
    open({ config: { execution: { defaultTimeoutMs: "30s" } } }),
    /must be integer/,
  ],
  [
    "the default timeout is above the maximum",
    open({ config: { execution: { defaultTimeoutMs: 9, maxTimeoutMs: 5 } } }),
    /Raise maxTimeoutMs, or lower the default/,
  ],
  ["config.approvals of 0.2.0", open({ config: { approvals: { expireAfterMs: 5 } } }), /approvals: \{/],
  ["approvals.expireAfterMs is a text", open({ approvals: { expireAfterMs: "1 day" } }), /milliseconds/],
  ["a built-in tool is misspelled", open({ skills: ["file-reed"] }), /Did you mean "file-read"/],
  ["skills is a text", open({ skills: "file-read" }), /must be a list of built-in tools/],
  ["config names a file that is missing", open({ config: "./no-such.json" }), /Correct the path/],
  ["an event is misspelled", open({ on: { "tools.executd": () => {} } }), /Did you mean "tools\.executed"/],
  [
    "an event of haft.on is misspelled",
    async () => {
      await using haft = await Haft.open({ principal });
      haft.on("tools.executd" as never, () => {});
    },
    /Did you mean "tools\.executed"/,
  ],
  [
    "a format is misspelled",
    async () => {
      await using haft = await Haft.open({ principal });
      haft.offer({ format: "openia" as never });
    },
    /Did you mean "openai"/,
  ],
  ["ledger: an unknown scheme", open({ ledger: "mysql://db" }), /sqlite:/],
  [
    "ledger: a folder that is a file",
    open({ ledger: "sqlite:/dev/null/haft.db" }),
    /Its folder must exist and let this user write/,
  ],
  [
    "ledger: a file that is not a database",
    () => open({ ledger: `sqlite:${join(folder, "text.db")}` })(),
    /Restore it from a backup/,
  ],
  [
    "ledger: PostgreSQL that does not listen",
    open({ ledger: "postgres://127.0.0.1:1/x" }),
    /Start PostgreSQL, or correct host and port/,
  ],
  [
    "ledger: a key that is too short",
    async () => {
      process.env.HAFT_LEDGER_KEY = "short";
      try {
        await open({ ledger: `sqlite:${join(folder, "key.db")}` })();
      } finally {
        delete process.env.HAFT_LEDGER_KEY;
      }
    },
    /HAFT_LEDGER_KEY.*openssl rand -base64 32/,
  ],
  ["rule: effect misspelled", rule({ effect: "alow" }), /Did you mean "allow"/],
  ["rule: tools is a text", rule({ tools: "refund" }), /\["refund"\]/],
  ["rule: an unknown tool", rule({ tools: ["refnd"] }), /Did you mean "refund"/],
  [
    "rule: an unknown keyword",
    rule({ when: { properties: { euros: { minimun: 5 } } } }),
    /Did you mean "minimum"/,
  ],
  [
    "rule: an unknown argument",
    rule({ tools: ["refund"], when: { properties: { amount: { minimum: 5 } } } }),
    /There are order, euros/,
  ],
  ["rule: an unknown toolkit", rule({ toolkits: ["mony"] }), /Add "mony" to the policy's toolkits/],
  ["rule: a path without a folder", rule({ path: {} }), /at least one of argument, within, outside/],
  ["rule: waivesApproval on a denial", rule({ effect: "deny", waivesApproval: true }), /effect "allow"/],
  ["rule: tellModel on an approval", rule({ effect: "approve", tellModel: "x" }), /effect "deny"/],
  [
    "approval required without a ledger or approver",
    call("refund", { order: "1", euros: 5 }, { policy: { rules: [{ effect: "approve" }] } }),
    /Set an approver, or a ledger/,
  ],
  [
    "a policy engine gives no decision",
    call(
      "refund",
      { order: "1", euros: 5 },
      { policy: { visible: () => ({ effect: "allow", ruleIds: [], reason: "" }), decide: () => true } },
    ),
    /decide must return \{ effect/,
  ],
  ["an unknown tool", call("refnd", {}), /Did you mean refund/],
  ["an argument is misspelled", call("refund", { order: "1", euro: 5 }), /did you mean "euros"/],
  ["an argument of the wrong type", call("refund", { order: "1", euros: "5" }), /euros must be number/],
  ["an argument below the minimum", call("refund", { order: "1", euros: 0 }), /must be at least 1/],
  ["arguments that are not JSON", call("refund", "A-17"), /Send one JSON object/],
  [
    "an option of a call is misspelled",
    async () => {
      await using haft = await Haft.open({ tools: [refund], principal });
      await haft.call("refund", { order: "1", euros: 5 }, { idempotencykey: "x" } as never);
    },
    /Did you mean "idempotencyKey"/,
  ],
  ["tool: a name with a space", define({ name: "my tool" }), /Try "my_tool"/],
  ["tool: no description", define({ description: "" }), /needs a description: one or two sentences/],
  ["tool: no input schema", define({ input: undefined }), /Add `input`.*allowNoSchema: true/],
  ["tool: a schema of an unknown library", define({ input: { _def: {} } }), /Accepted are: a zod/],
  [
    "tool: a reference to another document",
    define({ input: { type: "object", properties: { a: { $ref: "https://x.example/y" } } } }),
    /put the schema in \$defs/,
  ],
  [
    "tool: both run and implementation",
    define({ implementation: http({ url: "https://x.example" }) }),
    /remove one/,
  ],
  [
    "tool: an annotation is misspelled",
    define({ annotations: { readonly: true } }),
    /Did you mean "annotations\.readOnly"/,
  ],
  ["tool: a key that is a text", define({ key: "order" }), /must be a function/],
  [
    "tool: an unknown keyword in the schema",
    define({ input: { type: "object", properties: { a: { type: "strng" } } } }),
    /types are array, boolean, integer, null, number, object, string/,
  ],
  ["tool: a field of another library", define({ inputSchema: {} }), /It is called `input`/],
  ["tool: risk misspelled", define({ risk: "hihg" }), /one of "low", "medium", "high", "critical"/],
  ["tool: timeout without a unit", define({ timeout: "5" }), /write "5 seconds"/],
  ["tool: run is missing", define({ run: undefined }), /add `run: \(input, context\)/],
  [
    ".layer(retry) without a call",
    async () => {
      const wrapped = refund.layer(retry as never);
      await call("refund", { order: "1", euros: 5 }, { tools: [wrapped] })();
    },
    /Call it to create the layer: retry\(\)/,
  ],
  [".layer() around an object", () => refund.layer({} as never), /Use one from haft\/layers/],
  [".layer() around nothing", () => refund.layer(undefined as never), /Use one from haft\/layers/],
  [
    "a layer with an option of another library",
    () => retry({ attemps: 3 } as never),
    /Did you mean "attempts"/,
  ],
  ["layers has an object", open({ layers: [{}] }), /use one from haft\/layers/],
  ["agent without instructions", () => agent({ name: "a", tools: [] } as never), /needs `instructions`/],
  [
    "agent with an unknown field",
    () => agent({ name: "a", instructions: "i", tool: [] } as never),
    /Did you mean "tools"/,
  ],
  [
    "agent with a layer that is an object",
    () => agent({ name: "a", instructions: "i", layers: [{}] } as never),
    /Use one from haft\/layers/,
  ],
  [
    "agent that names an unknown tool",
    async () => {
      await using haft = await Haft.open({ tools: [refund], principal });
      await haft.run(agent({ name: "a", instructions: "i", tools: ["refnd"], model: "offline" }), "hi");
    },
    /Did you mean "refund"/,
  ],
  [
    "an unknown run is resumed",
    async () => {
      await using haft = await Haft.open({ tools: [refund], principal });
      await haft.run(agent({ name: "a", instructions: "i", model: "offline" }), undefined as never, {
        resume: "run-1",
      });
    },
    /List runs with haft\.runs\(\) or the command haft runs\./,
  ],
  [
    "an unknown option of haft.run",
    async () => {
      await using haft = await Haft.open({ tools: [refund], principal });
      const options = { limit: 3 } as object;
      await haft.run(agent({ name: "a", instructions: "i", model: "offline" }), "hi", options);
    },
    /unknown field `limit`\. The fields are: library, .*, parent, taints\.$/,
  ],
  [
    "a run without a model",
    async () => {
      await using haft = await Haft.open({ tools: [refund], principal });
      return await haft.run(agent({ name: "a", instructions: "i", tools: [] }), "hi");
    },
    /Set one: agent\(\{ model/,
  ],
  [
    "a model of an unknown vendor",
    async () => {
      await using haft = await Haft.open({ tools: [refund], principal, model: "opnai/gpt-5" });
      return await haft.run(agent({ name: "a", instructions: "i", tools: [] }), "hi");
    },
    /Write provider\/model-id/,
  ],
  [
    "an API key is missing",
    async () => {
      const before = process.env.OPENAI_API_KEY;
      delete process.env.OPENAI_API_KEY;
      try {
        await using haft = await Haft.open({ tools: [refund], principal, model: openai("gpt-5") });
        await haft.run(agent({ name: "a", instructions: "i", tools: [] }), "hi");
      } finally {
        if (before !== undefined) process.env.OPENAI_API_KEY = before;
      }
    },
    /set OPENAI_API_KEY in the environment/,
  ],
  ["anthropic without a model", () => anthropic(undefined as never), /must be the id of a model/],
  [
    "an optional package is missing",
    () =>
      missingPackage(
        "pg",
        "A ledger in PostgreSQL needs",
      )(Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" })),
    /npm install pg/,
  ],
  [
    "an optional package is too old",
    () => {
      throw new Error(packageProblem("ai", "The integration of the AI SDK needs", "5.0.0"));
    },
    /npm install ai/,
  ],
  [
    "a secret that no source has",
    call(
      "secretive",
      {},
      {
        tools: [
          tool({
            name: "secretive",
            description: "d",
            input: { type: "object", properties: {} },
            run: (_, ctx) => ctx.secret("stripe"),
          }),
        ],
      },
    ),
    /Set a source, such as credentials: \{ env: "HAFT_SECRET_" \}/,
  ],
  [
    "credentials: an unknown place",
    open({ credentials: { vault: {} } }),
    /The fields are: values, env, file/,
  ],
  [
    "mcp: a server without command or url",
    open({ mcp: { servers: { files: {} } } }),
    /needs a "command".*or a "url"/,
  ],
  [
    "mcp: command is misspelled",
    open({ mcp: { servers: { files: { comand: "node" } } } }),
    /did you mean "command"/,
  ],
  [
    "mcp: servers is a list",
    open({ mcp: { servers: [{ id: "files", command: "node" }] } }),
    /object of servers by id/,
  ],
  [
    "mcp: an empty command",
    open({ mcp: { servers: { files: { command: "" } } } }),
    /\/command must have at least 1 character/,
  ],
  [
    "mcp: connect without an id",
    async () => {
      await using haft = await Haft.open({ principal });
      await haft.mcp.connect({ name: "x", command: "node" } as never);
    },
    /needs an `id`/,
  ],
  [
    "mcp: an address without a scheme",
    open({ mcp: { servers: { files: { url: "localhost:9999" } } } }),
    /must begin with https: or http:/,
  ],
  [
    "httpEgress.allow is a text",
    open({ httpEgress: { allow: "127.0.0.1:80" } }),
    /Write \["127\.0\.0\.1:80"\]/,
  ],
  [
    "httpEgress.allow has an address",
    open({ httpEgress: { allow: ["http://127.0.0.1"] } }),
    /write host:port/,
  ],
  [
    "approvals.webhook is an address",
    open({ approvals: { webhook: "https://x.example" } }),
    /the fields url, secret/,
  ],
  [
    "a run is submitted without a fleet",
    async () => {
      await using haft = await Haft.open({ principal });
      await haft.submit(agent({ name: "a", instructions: "i" }), "hi");
    },
    /Haft\.open\(\{ fleet: fleet\(\) \}\)/,
  ],
  [
    "a call is settled that the ledger does not have",
    async () => {
      await using haft = await Haft.open({ principal });
      await haft.settle("nope", { tookEffect: true } as never);
    },
    /haft log --ending unknown/,
  ],
  [
    "mcp: an address that does not listen",
    async () => {
      await using haft = await Haft.open({ principal, httpEgress: { allow: [`127.0.0.1:${closedPort}`] } });
      await haft.mcp.connect({ id: "x", url: `http://127.0.0.1:${closedPort}/mcp` });
    },
    /Start the server or correct its url/,
  ],
  [
    "http: a private address",
    call(
      "page",
      {},
      {
        tools: [
          tool({
            name: "page",
            description: "d",
            input: { type: "object", properties: {} },
            implementation: http({ url: "http://127.0.0.1:8099/" }),
          }),
        ],
      },
    ),
    /httpEgress: \{ allow: \["127\.0\.0\.1:8099"\] \}/,
  ],
  ["http: no address", () => http({} as never), /must begin with http/],
  [
    "gram: an unknown type in a signature",
    () => signatureToSchema("(name: Strng) --> IO Text"),
    /Did you mean "String"/,
  ],
  ["workspace: an empty namespace", () => workspace().toolbox(""), /A name must have 1 to 64 characters/],
  [
    "workspace: two tools of one name",
    () => workspace().toolbox("x").add(refund).add(refund),
    /withName\(\)/,
  ],
  ["workspace that was not built", open({ project: workspace().toolbox("x").add(refund) }), /\.build\(\)/],
  [
    "hydrate without a spec",
    () => {
      const result = hydrate({ id: "1", tool: "x", input: {} }, undefined as never);
      throw new Error(result.errors[0]?.message);
    },
    /requires a tool call with an id and a tool name, and the tool's spec/,
  ],
];

/** The same for the command line, with its exit code. */
const commands: readonly (readonly [words: readonly string[], code: number, remedy: RegExp])[] = [
  [["lgo"], 2, /Did you mean haft log/],
  [["log", "--limt", "5"], 2, /Did you mean --limit/],
  [["log", "--runs"], 2, /haft runs/],
  [["log", "--since", "yesterday", "--ledger", "LEDGER"], 2, /a time such as 2h/],
  [["log", "-n", "0", "--ledger", "LEDGER"], 2, /at least 1/],
  [["log", "--ending", "done"], 2, /must be one of executed, failed/],
  [["runs", "give-up"], 2, /haft runs/],
  [["approve"], 2, /haft approvals/],
  [["resume"], 2, /haft runs/],
  [["approve", "abcdef", "--always", "ever"], 2, /must be one of run, session/],
  [["log", "--ledger", "mysql://x"], 2, /sqlite:/],
  [["log", "--ledger", "sqlite:FOLDER/text.db"], 1, /Restore it from a backup/],
  [["approvals", "--ledger", "postgres://127.0.0.1:1/x"], 1, /Start PostgreSQL, or correct host and port/],
  [["gram", "check", "FOLDER/typo.gram"], 1, /Did you mean "model"/],
  [["gram", "check", "FOLDER/toolless.gram"], 1, /Write \[sayHello:Tool/],
  [["gram", "check", "FOLDER/none.gram"], 2, /Check the path/],
  [["tools", "--config", "FOLDER/typo.json"], 2, /Did you mean "principal"/],
  [["tools", "--config", "FOLDER/broken.json"], 2, /line 1, column 3.*Correct the file/],
  [["tools", "--config", "FOLDER/none.json"], 2, /none\.json/],
  [["tools", "--tools", "FOLDER/empty.ts"], 2, /Export the result of tool\(/],
  [["explain", "get_wether", "--tools", "WEATHER"], 1, /Did you mean get_weather/],
  [["call", "get_wether", "{}", "--tools", "WEATHER"], 1, /Did you mean get_weather/],
  [["call", "get_weather", "{city:1}", "--tools", "WEATHER"], 1, /Send one JSON object/],
  [["serve", "--http", "--port", "99999"], 2, /--port must be a whole number from 0 to 65535/],
  [["policy", "test"], 2, /haft policy test policy\.cases\.json/],
];

const rows: string[] = [];

it.each(mistakes)("says how to repair: %s", async (what, fails, remedy) => {
  const error = (await Promise.resolve()
    .then(fails)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )) as { message?: string; failure?: { detail?: string } } | undefined;
  const said =
    `${warnings.splice(0).join(" ")} ${error?.message ?? "no error"}${error?.failure?.detail ? ` [${error.failure.detail.split("\n")[0]}]` : ""}`.trim();
  rows.push(`| ${what} | ${said.replaceAll("|", "\\|").replaceAll("\n", " ")} | |`);
  expect(said).toMatch(remedy);
});

it.each(commands)("haft %j ends with %i and says how to repair it", async (words, code, remedy) => {
  const ran = await command(
    words.map((word) =>
      word.replace("FOLDER", folder).replace("LEDGER", place).replace("WEATHER", fixture("weather.ts")),
    ),
    { env: {} },
  );
  rows.push(
    `| haft ${words.join(" ")} | ${(ran.error + ran.out).replaceAll("|", "\\|").replaceAll("\n", " ")} | ${ran.code} |`,
  );
  expect(ran.error + ran.out).toMatch(remedy);
  expect(ran.code).toBe(code);
});

afterAll(async () => {
  const { HAFT_MISTAKES_TABLE: file } = process.env;
  if (file !== undefined)
    await writeFile(file, `| mistake | message | exit code |\n|---|---|---|\n${rows.join("\n")}\n`);
});
