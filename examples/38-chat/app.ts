import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
//#region server
import { Haft, tool } from "haft";
import { agent } from "haft/agent";
import { agentHandler } from "haft/chat";
import { Hono } from "hono";
import { shopModel } from "./model.ts";

const folder = process.env.CHAT_FOLDER ?? ".";
const id = { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const;
const findOrder = tool({
  name: "find_order",
  description: "Finds an order by its id.",
  input: id,
  annotations: { readOnly: true },
  run: ({ id }) => ({ id, item: "A blue teapot", total: "24.00" }),
});
const refund = tool({
  name: "refund",
  description: "Pays an order back.",
  input: id,
  risk: "high", // so it needs approval
  run: ({ id }) => {
    appendFileSync(join(folder, "refunds"), `${id}\n`);
    return { refunded: id };
  },
});
const haft = await Haft.open({ tools: [findOrder, refund], ledger: `sqlite:${join(folder, "chat.db")}` });
const desk = agent({ name: "desk", instructions: "Help with orders.", model: shopModel, tools: ["*"] });

const chat = agentHandler(haft, desk, {
  // Replace this by your own session: it identifies the user of the request.
  principal: (request) => ({ agent: "desk", user: userOf(request), allow: ["*"] }),
});

const app = new Hono();
app.all("/api/chat/*", (context) => chat(context.req.raw));
//#endregion
const userOf = (request: Request) => /user=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "ada";
app.use("*", serveStatic({ root: join(folder, "page") }));
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 0) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/`),
);
