// Reads the agent of hello.gram, binds it to its library, and runs it. `haft run hello.gram "…"` does the
// same.
//#region read
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Haft } from "haft";
import { agentsFromSpecs } from "haft/agent";
import { formatDiagnostic, readAgent, writeAgent } from "haft/gram";
import { sayHello } from "./hello.ts";

const text = await readFile(new URL("./hello.gram", import.meta.url), "utf8");
const reading = readAgent(text);
if (!reading.ok) throw new Error(reading.diagnostics.map((each) => formatDiagnostic(text, each)).join("\n"));
const [greeter] = agentsFromSpecs(reading.agents);
assert.ok(greeter);
//#endregion
assert.deepEqual(reading.tools[0]?.input.required, ["name"]);

//#region run
const haft = await Haft.open({ principal: { agent: "greeter", allow: ["sayHello"] } });
const answer = await haft.run(greeter, "Hello, I'm Ada", { library: { sayHello }, model: "offline" });
//#endregion
assert.equal(answer.content, "(offline planner) sayHello answered: Hello, Ada! Nice to meet you.");

//#region write
const written = writeAgent(reading.agent);
const again = readAgent(written);
assert.ok(again.ok);
assert.deepEqual(again.agent, reading.agent);
//#endregion
await haft.close();
console.log(answer.content);
