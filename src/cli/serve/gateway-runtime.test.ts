import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { Terminal } from "../command.ts";
import { type NextGatewayRuntime, openGatewayRuntime } from "./gateway-runtime.ts";

const scene = async (serve: object, prepare: (folder: string) => void = () => {}) => {
  const folder = mkdtempSync(join(tmpdir(), "haft-serving-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "haft.config.json");
  const trustFolder = join(folder, "trust");
  const edit = (serve: object) => writeFileSync(config, JSON.stringify({ mcp: { lock: false }, serve }));
  edit(serve);
  prepare(folder);
  let errors = "";
  const terminal: Terminal = {
    out: () => {},
    error: (text) => {
      errors += text;
    },
    env: { HAFT_LEDGER: "memory", HAFT_TRUST: "1", HAFT_CONFIG_DIR: trustFolder },
    isInteractive: false,
    isOperator: false,
    hasColor: false,
    width: 200,
    signal: new AbortController().signal,
    unread: new AbortController().signal,
    input: async () => "",
    ask: async () => undefined,
    now: Date.now,
    wait: async () => {},
  };
  const serving = await openGatewayRuntime({ config }, terminal);
  onTestFinished(() => serving[Symbol.asyncDispose]());
  const says = (said: string) => waitFor(() => expect(errors).toContain(said));
  return { serving, edit, says, config, trustFolder, folder };
};

test("passes a configuration that changed earlier to a listener that is added later", async () => {
  const { serving, edit, says } = await scene({ name: "one" });
  edit({ name: "two" });
  await says("read again");
  const asked: NextGatewayRuntime[] = [];
  await serving.beforeSwap(async (next) => {
    asked.push(next);
    return ["Restart to apply it."];
  });
  expect(asked.map(({ options }) => options.name)).toEqual(["two"]);
  expect((await serving.health()).problems).toEqual([
    { part: "configuration", message: "Restart to apply it." },
  ]);
});

test("keeps the place of approvals from the start and reports a change in the file", async () => {
  const { serving, edit, says } = await scene({ approvals: "client" });
  edit({ approvals: "elsewhere" });
  await says('"serve.approvals" has changed. Restart haft serve to apply it.');
  expect(await serving.health()).toMatchObject({
    status: "degraded",
    problems: [{ part: "configuration" }],
  });
  edit({ approvals: "client" });
  await waitFor(async () => expect((await serving.health()).status).toBe("ok"));
});

test("starts no server on reload that was not accepted, says how to accept it and keeps serving", async () => {
  const { serving, config, says, trustFolder } = await scene({ name: "one" });
  const server = { command: "haft-test-server", args: ["--evil"] };
  writeFileSync(config, JSON.stringify({ mcp: { lock: false, servers: { evil: server } } }));
  await says('the MCP server "evil": haft-test-server --evil');
  await says("haft trust add ");
  await says("read again");
  await waitFor(() => expect(serving.states()).toMatchObject([{ id: "evil", status: "error" }]));
  expect(serving.states()[0]!.reason).toContain("has not accepted its launch command");
  expect(serving.served.tools(serving.principal).map(({ name }) => name)).toEqual(["read_result"]);
  // The trust store of the process stays empty: --trust covers what was configured at the start.
  expect(existsSync(trustFolder)).toBe(false);
});

test.each<readonly [name: string, config: object]>([
  ["skills", { skills: ["file-write"] }],
  ["config.skills", { config: { skills: { files: { write: ["/"] } } } }],
  ["config.builtinTools", { config: { builtinTools: ["file-write"] } }],
  ["config.security", { config: { security: { blockedCommands: [] } } }],
  ["config.ledger", { config: { ledger: { anchorFile: "/tmp/anchors" } } }],
  ["ledger", { ledger: "sqlite:/tmp/another.db" }],
  ["approvals.webhook", { approvals: { webhook: { url: "https://example.com/", secret: "S" } } }],
  ["httpEgress", { httpEgress: { allowHosts: ["127.0.0.1"] } }],
  ["mcp.lock", { mcp: { lock: "other.lock" } }],
  ["mcp.truncateToFile", { mcp: { lock: false, truncateToFile: { directory: "/tmp" } } }],
  ["credentials", { credentials: { command: { argv: { TOKEN: ["haft-test-secret"] } } } }],
  ["credentials", { credentials: { file: { KEY: "/home/ada/.ssh/id_ed25519" } } }],
  ["openapi", { openapi: [{ document: { openapi: "3.1.0" } }] }],
])("does not change %s on reload", async (name, config) => {
  const { serving, config: file, says } = await scene({ name: "one" });
  writeFileSync(file, JSON.stringify({ mcp: { lock: false }, ...config }));
  await says(`haft: "${name}" has changed. This setting is read when haft serve starts`);
  await says("The previous configuration stays active.");
  expect(await serving.health()).toMatchObject({ status: "degraded" });
});

test("sends no other secret on reload to tools of a document, and none to another server", async () => {
  const responses = { 200: { description: "Done" } };
  const paths = { "/orders": { get: { operationId: "orders", responses } } };
  const writeDocument = (folder: string, url: string) => {
    const document = { openapi: "3.1.0", info: { title: "A", version: "1" }, servers: [{ url }], paths };
    writeFileSync(join(folder, "api.json"), JSON.stringify(document));
  };
  const { serving, edit, says, config, folder } = await scene({ name: "one" }, (folder) => {
    const documents = { api: { document: "api.json" } };
    writeFileSync(join(folder, "haft.openapi.json"), JSON.stringify({ documents }));
    writeDocument(folder, "https://api.example.com");
  });
  edit({ name: "two" });
  await says("The configuration was read again.");
  writeDocument(folder, "https://evil.example.com");
  edit({ name: "three" });
  await says('haft: "openapi" has changed.');
  writeDocument(folder, "https://api.example.com");
  const credentials = { file: { KEY: "/home/ada/.ssh/id_ed25519" } };
  writeFileSync(config, JSON.stringify({ mcp: { lock: false }, credentials }));
  await says('haft: "credentials" has changed.');
  expect(await serving.health()).toMatchObject({ status: "degraded" });
});

test("imports no new code on reload", async () => {
  const { serving, config, says, folder } = await scene({ name: "one" });
  const witness = join(folder, "witness");
  const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(witness)}, "ran");`;
  writeFileSync(join(folder, "evil.mjs"), code);
  writeFileSync(config, JSON.stringify({ mcp: { lock: false }, tools: ["./evil.mjs"] }));
  await says("is new code. Restart to load it. The previous configuration stays active.");
  expect(existsSync(witness)).toBe(false);
  expect(await serving.health()).toMatchObject({ status: "degraded" });
});
