import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { writeResponse } from "./write-response.ts";

const open: (Server | Socket)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) {
    if ("closeAllConnections" in one) one.close().closeAllConnections();
    else one.destroy();
  }
});

const megabyte = new Uint8Array(1024 * 1024);

/** A response that never ends. */
const endless = () => {
  const ended = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(megabyte),
    cancel: () => ended.resolve(),
  });
  return { response: new Response(body), ended: ended.promise };
};

const answering = async (answer: () => Response, stallMs: number): Promise<Socket> => {
  const server = createServer((_, outgoing) => {
    void writeResponse(answer(), outgoing, stallMs).catch(() => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  open.push(client, server);
  await once(server, "connection");
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  return client;
};

test("disconnects a client that does not read a stream, and cancels the stream", async () => {
  const { response, ended } = endless();
  const client = await answering(() => response, 50);
  client.pause();
  await ended;
  client.resume();
  await once(client, "close");
});

test("disconnects a client that does not read a long response", async () => {
  const long = JSON.stringify("x".repeat(64 * 1024 * 1024));
  const client = await answering(
    () => new Response(long, { headers: { "content-type": "application/json" } }),
    50,
  );
  let length = 0;
  client.on("data", (chunk) => {
    length += chunk.length;
  });
  client.pause();
  await gone(open[1] as Server);
  client.resume();
  await once(client, "close");
  expect(length).toBeLessThan(long.length);
});

test("keeps an idle stream open", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(Buffer.from("first "));
      await promise;
      controller.enqueue(Buffer.from("last"));
      controller.close();
    },
  });
  const client = await answering(() => new Response(body), 20);
  const [, server] = open as [Socket, Server];
  const [, outgoing] = (await once(server, "request")) as [unknown, ServerResponse];
  let text = "";
  client.on("data", (chunk) => {
    text += chunk;
  });
  while (!text.includes("first")) await once(client, "data");
  expect(outgoing.socket?.timeout ?? 0).toBe(0);
  resolve();
  while (!text.includes("last")) await once(client, "data");
});

const gone = async (server: Server): Promise<void> => {
  const count = () => new Promise<number>((resolve) => server.getConnections((_, left) => resolve(left)));
  while ((await count()) > 0) await new Promise((resolve) => setImmediate(resolve));
};
