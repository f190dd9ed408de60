// Tests each claim of the guides mcp, mcp-sign-in and mcp-results. Two of the servers are from npm.
//#region open
import assert from "node:assert/strict";
//#endregion
import { mkdtempSync, rmSync } from "node:fs";
//#region open
import { createRequire } from "node:module";
//#endregion
import { tmpdir } from "node:os";
//#region open
import { join } from "node:path";
import { Haft, MCPConnectionError, type McpServerState } from "haft";
//#endregion
import { fileMcpTokens } from "haft/mcp";
import { cassette } from "haft/testing";
import { calendar, robotKey } from "./calendar.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-mcp-servers-"));
process.chdir(folder);
delete process.env.CI; // in CI a missing tape is an error
process.env.CALENDAR_URL = calendar.url;
process.env.CALENDAR_AUTHORIZATION = `Bearer ${robotKey}`;

/** The local user follows the link and consents. */
const show = (text: string): void => void fetch(text.slice(text.indexOf("http")));
/** Another user follows it elsewhere; returns the final URL. */
const visit = async (page: string): Promise<string> => {
  calendar.atTheBrowser = "bob";
  return (await fetch(page, { redirect: "manual" })).headers.get("location") ?? "";
};
//#region open

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    ({ code }) => code,
  );
const node = process.execPath;
const { resolve } = createRequire(import.meta.url);
const at = (name: string) => resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);

const haft = await Haft.open({
  principal: { agent: "clerk", user: "ada", allow: ["*"] },
  mcp: {
    servers: {
      memory: {
        command: node, // or npx, with ["-y", "@modelcontextprotocol/server-memory@2026.8.31"]
        args: [at("memory")],
        env: { MEMORY_FILE_PATH: join(process.cwd(), "memory.jsonl") },
        terms: { "delete_*": { risk: "high" } },
      },
    },
  },
});
const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
await haft.call("memory/create_entities", { entities });
const found = await haft.call("memory/search_nodes", { query: "tea" });
//#endregion
assert.match(JSON.stringify(found), /Ada/);

//#region states
const [memory] = haft.mcp.list();
assert.equal(memory?.status, "connected"); // or connecting, degraded, disconnected, error: then `reason` says why
assert.ok(memory.tools.includes("memory/search_nodes"));
assert.deepEqual(memory.quarantined, []); // quarantined tools with their reasons
//#endregion
assert.equal(memory.transport, "stdio");

//#region events
const events: string[] = [];
haft.on("tools.mcp-connected", ({ serverName }) => events.push(`${serverName} is here`));
haft.on("tools.mcp-disconnected", ({ serverName, reason }) => events.push(`${serverName} left: ${reason}`));
//#endregion

//#region connect
const state: McpServerState = await haft.mcp.connect({
  id: "everything",
  command: node,
  args: [at("everything")],
});
assert.equal(state.status, "connected");
assert.equal(await haft.call("everything/echo", { message: "hello" }), "Echo: hello");
//#endregion

//#region progress
const steps: unknown[] = [];
haft.on("tools.progress", ({ update }) => steps.push(update));
await haft.call("everything/trigger-long-running-operation", { duration: 0.2, steps: 2 });
assert.deepEqual(steps, [
  { progress: 1, total: 2 },
  { progress: 2, total: 2 },
]);
//#endregion

//#region spill
const long = "é".repeat(100_000);
const result = await haft.call("everything/echo", { message: long });
const { spilled } = result as { readonly spilled: { readonly handle: string; readonly bytes: number } };
assert.equal(spilled.bytes, 200_006);
const part = await haft.call("read_result", { handle: spilled.handle, offset: 199_000 });
assert.equal((part as { readonly text: string }).text, "é".repeat(503));
//#endregion

//#region environment
process.env.SECRET_OF_THIS_PROCESS = "nobody else's";
const environment = await haft.call("everything/get-env", {});
assert.doesNotMatch(String(environment), /SECRET_OF_THIS_PROCESS/);
//#endregion

//#region disconnect
assert.equal(await haft.mcp.disconnect("everything"), true);
assert.equal(await codeOf(haft.call("everything/echo", { message: "?" })), "unknown_tool");
assert.deepEqual(events, ["everything is here", "everything left: it was disconnected by its operator"]);
assert.equal(haft.mcp.list().find(({ id }) => id === "everything")?.status, "disconnected");
assert.equal(await haft.mcp.remove("everything"), true); // now it is not listed either
//#endregion

//#region unreachable
const broken = { id: "broken", command: node, args: ["-e", "console.error('no key'); process.exit(3)"] };
const error = await haft.mcp.connect(broken).catch((thrown) => thrown);
assert.ok(error instanceof MCPConnectionError);
assert.equal(error.code, "mcp_unreachable"); // or mcp_protocol, mcp_garbage, timed_out
assert.match(error.failure.detail ?? "", /no key/); // its last output, for the operator and not the model
//#endregion

//#region risk
const offered = haft.list().find(({ name }) => name === "delete_entities");
assert.equal(offered?.annotations.destructive, true); // a server's own warning about its tool counts
assert.equal(haft.list().find(({ name }) => name === "search_nodes")?.annotations.readOnly, undefined); // not yet
const deleting = haft.call("memory/delete_entities", { entityNames: ["Ada"] });
assert.equal(await codeOf(deleting), "approval_required"); // by the operator's terms
//#endregion
await haft.close();

//#region ask
const asking = await Haft.open({
  principal: { agent: "clerk", user: "ada", allow: ["*"] },
  mcp: {
    servers: { everything: { command: node, args: [at("everything")] } },
    ask: async (requests) => {
      const answers = Object.entries(requests).map(([key, { method }]) => {
        if (method === "roots/list") return [key, { roots: [] }];
        return [key, { action: "accept", content: { name: "Ada" } }]; // elicitation/create
      });
      return Object.fromEntries(answers);
    },
  },
});
const answer = await asking.call("everything/trigger-elicitation-request", {});
assert.match(JSON.stringify(answer), /Name: Ada/);
//#endregion
await asking.close();

//#region headers
const robot = await Haft.open({
  principal: { agent: "robot", allow: ["*"] },
  credentials: { env: { CALENDAR_AUTHORIZATION: "calendar" } }, // the variable and the name of its secret
  mcp: {
    servers: {
      calendar: {
        url: process.env.CALENDAR_URL ?? "https://calendar.example.com/mcp",
        headers: { authorization: { secret: "calendar" } },
      },
    },
  },
});
assert.equal(await robot.call("calendar/owner", {}), "robot");
//#endregion
await robot.close();

//#region sign-in
const signedIn = await Haft.open({
  principal: { agent: "clerk", user: "ada", allow: ["*"] },
  mcp: {
    servers: { calendar: { url: process.env.CALENDAR_URL ?? "https://calendar.example.com/mcp" } },
    onSignIn: (server, url) => show(`Sign in to ${server.id}: ${url}`), // or open a browser
    tokens: fileMcpTokens("tokens"), // a folder that only you can read; the default is memory
  },
});
assert.equal(await signedIn.call("calendar/owner", {}), "ada");
//#endregion
await signedIn.close();
assert.equal(calendar.signIns(), 1);

//#region headless
const tokens = fileMcpTokens("tokens"); // the same folder has the tokens of earlier sign-ins
const servers = { calendar: { url: process.env.CALENDAR_URL ?? "https://calendar.example.com/mcp" } };
const as = (user: string) =>
  Haft.open({ principal: { agent: "clerk", user, allow: ["*"] }, mcp: { servers, tokens } });

const ada = await as("ada");
assert.equal(await ada.call("calendar/owner", {}), "ada"); // without another sign-in
const bob = await as("bob");
assert.equal(bob.mcp.list()[0]?.status, "error");
assert.match(
  bob.mcp.list()[0]?.reason ?? "",
  /The MCP server "calendar" requires a sign-in\. A person must sign in at http/,
);
const { url } = await bob.mcp.beginSignIn("calendar"); // the sign-in URL for the user's browser
const shown = await visit(url); // the complete redirect URL is the answer
await bob.mcp.finishSignIn("calendar", shown);
//#endregion
const isThere = () => bob.mcp.list()[0]?.status === "connected";
const deadline = Date.now() + 10_000;
while (!isThere() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
assert.equal(await bob.call("calendar/owner", {}), "bob");
await ada.close();
await bob.close();
assert.equal(calendar.signIns(), 2);

//#region test
const graph = async () => {
  await using tape = cassette("memory.json"); // records the first time, and replays from then on
  await using recorded = await Haft.open({
    principal: { agent: "clerk", user: "ada", allow: ["*"] },
    mcp: { servers: { memory: { command: node, args: [at("memory")] } } },
    layers: [tape.layer],
  });
  return recorded.call("memory/read_graph", {});
};
assert.deepEqual(await graph(), await graph());
//#endregion

await calendar.close();
process.chdir(tmpdir());
rmSync(folder, { recursive: true, force: true });
console.log("servers connect and disconnect, and every call passes the same pipeline");
