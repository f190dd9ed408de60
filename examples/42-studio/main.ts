// Mounts the Studio in a server of your own, and approves a pending call through its API.
import assert from "node:assert/strict";
import { Haft, tool } from "haft";
import { type AnswerResult, type Approval, appFrame, type Page, studio } from "haft/studio";

const refunds: string[] = [];
const refund = tool({
  name: "refund",
  description: "Refunds an order",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  risk: "high",
  run: ({ order }) => {
    refunds.push(order);
    return { refunded: order };
  },
});

const haft = await Haft.open({
  tools: [refund],
  principal: { agent: "desk", allow: ["*"] },
  ledger: "sqlite::memory:",
});
const sessionOf = (request: Request) => (request.headers.get("cookie") === "user=ada" ? "ada" : undefined);

//#region mount
const page = studio(haft, {
  base: "/studio",
  hosts: ["shop.example"],
  appOrigin: "https://shop-apps.example",
  principal: (request) => {
    const user = sessionOf(request);
    return user === undefined ? undefined : { agent: "desk", user, roles: ["studio:read", "studio:approve"] };
  },
});
// In Hono: app.all("/studio/*", (c) => page.fetch(c.req.raw))
//#endregion

//#region apps
const frame = appFrame({ studios: ["https://shop.example"] });
// At https://shop-apps.example, in Hono: app.all("/*", (c) => frame.fetch(c.req.raw))
//#endregion

const requestApi = async <Answer>(path: string, init: RequestInit = {}): Promise<Answer> => {
  const headers = { host: "shop.example", cookie: "user=ada", ...init.headers };
  const response = await page.fetch(
    new Request(`http://shop.example/studio/api/v1${path}`, { ...init, headers }),
  );
  return (await response.json()) as Answer;
};

await haft.turn([{ id: "call-1", tool: "refund", input: { order: "7" } }]);

//#region answer
const { items } = await requestApi<Page<Approval>>("/approvals");
const answered = await requestApi<AnswerResult>(`/approvals/${items[0]!.id}/answer`, {
  method: "POST",
  headers: { "content-type": "application/json", "x-haft-studio": "1" },
  body: JSON.stringify({ decision: "allow" }),
});
//#endregion

assert.equal(answered.answered, true);
assert.equal(answered.approval?.answeredBy, "ada");
while (refunds.length === 0) await new Promise((resolve) => setImmediate(resolve));
assert.deepEqual(refunds, ["7"]);
const withoutCookie = new Request("http://shop.example/studio/api/v1/calls", {
  headers: { host: "shop.example" },
});
assert.equal((await page.fetch(withoutCookie)).status, 401);
for (const [origin, status] of [
  ["https://shop.example", 200],
  ["https://elsewhere.example", 403],
] as const) {
  const address = `https://shop-apps.example/?studio=${encodeURIComponent(origin)}`;
  assert.equal((await frame.fetch(new Request(address))).status, status);
}
await page.close();
await haft.close();
