import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import { chatScene, userUiMessage } from "../../../test/kit/chat-scene.ts";
import { pacedModel } from "../../../test/kit/paced-model.ts";

const post = (id: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", "x-user": "ada" },
  body: JSON.stringify({ id, messages: [userUiMessage("m1", "Hello")] }),
});

it("can be mounted in Hono under a path", async () => {
  const { handle } = await chatScene().open(pacedModel([["Hello."]]), { handler: { base: "/talk" } });
  const app = new Hono().all("/talk/*", (context) => handle(context.req.raw));
  const response = await app.request("http://chat.test/talk", post("c"));
  expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  expect((await response.text()).endsWith("data: [DONE]\n\n")).toBe(true);
  const shown = await app.request("http://chat.test/talk/c", { headers: { "x-user": "ada" } });
  expect(await shown.json()).toMatchObject({ messages: [{ id: "m1" }, { id: "m1-answer" }] });
});

it("can be mounted in node:http, and continues an answer when its client disconnects", async () => {
  const end = Promise.withResolvers<void>();
  const { handle } = await chatScene().open(pacedModel([["Hel", end.promise, "lo."]]));
  const server = createServer(getRequestListener(handle));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
  const gone = new AbortController();
  const response = await fetch(address, { ...post("c"), signal: gone.signal });
  const reader = response.body!.getReader();
  await reader.read();
  gone.abort();
  await reader.closed.catch(() => {});
  const again = fetch(`${address}/c/stream`, { headers: { "x-user": "ada" } });
  const text = again.then((stream) => stream.text());
  await again;
  end.resolve();
  expect(await text).toContain('"delta":"lo."');
});
