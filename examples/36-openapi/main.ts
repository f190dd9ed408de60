// An OpenAPI document as tools: reads run, deletes need approval, and the key stays secret.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Haft } from "haft";

const pets = new Map([
  [1, { id: 1, name: "Minka", kind: "cat" }],
  [2, { id: 2, name: "Rex", kind: "dog" }],
]);
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  if (request.headers["x-api-key"] !== "s3cret-key") return void response.writeHead(401).end("who are you?");
  const [, , , id] = request.url!.split("/");
  if (request.method === "DELETE") {
    pets.delete(Number(id));
    return void response.writeHead(204).end();
  }
  response.setHeader("content-type", "application/json");
  const found = id === undefined ? [...pets.values()] : pets.get(Number(id));
  if (found === undefined) return void response.writeHead(404).end('{"error":"no such pet"}');
  return void response.end(JSON.stringify(found));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;

//#region tools
import { fromOpenApi } from "haft/openapi";

const document = await readFile(new URL("./pets.yaml", import.meta.url), "utf8");

const { tools, losses } = await fromOpenApi(document, {
  select: { tags: ["pets"] },
  servers: `http://${place}/v1`,
  auth: { apiKey: { secret: "pet-shop" } },
});
//#endregion
assert.deepEqual(
  tools.map(({ spec }) => [spec.name, spec.risk]),
  [
    ["listPets", "low"],
    ["showPet", "low"],
    ["sellPet", "high"],
  ],
);
assert.deepEqual(losses, []);

//#region open
const questions: string[] = [];
const haft = await Haft.open({
  tools: [...tools],
  principal: { agent: "clerk", allow: ["*"] },
  credentials: { values: { "pet-shop": "s3cret-key" } },
  // A private address, for this example; public ones need no entry.
  httpEgress: { allow: [place] },
  approver: async ({ tool, input }) => {
    questions.push(`${tool} ${JSON.stringify(input)}`);
    return { kind: "allow" };
  },
});
//#endregion

//#region call
assert.deepEqual(await haft.call("listPets", { kind: ["cat", "dog"], limit: 5 }), [...pets.values()]);
assert.equal(asked.at(-1), "GET /v1/pets?kind=cat,dog&limit=5");

await haft.call("sellPet", { id: 2 });
assert.deepEqual(questions, ['sellPet {"id":2}']); // only the deleting call needed approval
//#endregion

await assert.rejects(haft.call("showPet", { id: 2 }), (error: Error) => {
  assert.match(error.message, /answered 404: \{"error":"no such pet"\}/);
  return true;
});
await assert.rejects(haft.call("listPets", { kind: ["cow"] }), { code: "invalid_input" });
assert.equal(asked.length, 3, "what breaks the document's schema is not sent");
assert.ok(!JSON.stringify(await haft.log()).includes("s3cret-key"), "the key is not in the ledger");
await haft.close();
server.close();
console.log("three operations became tools; one asked a person");
