import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { bearer, hostScene, sendRawBytes } from "../../../test/kit/host-scene.ts";

const token = "ada-token-0123456789";
const auth = { kind: "tokens", tokens: [{ token, principal: { agent: "ada" } }] } as const;

const scene = () => {
  const server = new WebSocketServer({ noServer: true });
  const seen: unknown[] = [];
  return hostScene({
    auth,
    upgrade: (request, socket, head, { principal }) => {
      seen.push([principal.agent, request.headers.authorization, request.rawHeaders.join().includes(token)]);
      server.handleUpgrade(request, socket, head, (opened) => {
        opened.on("message", (data) => opened.send(String(data)));
      });
    },
  }).then((host) => ({ host, sockets: seen }));
};

const refusal = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.on("open", () => reject(new Error("it was let in")));
    socket.on("error", () => {});
    socket.on("unexpected-response", (request, response) => {
      request.destroy();
      resolve(response.statusCode);
    });
  });

test("passes a socket with a valid token on without the token, and closes it with the host", async () => {
  const { host, sockets } = await scene();
  const socket = new WebSocket(host.url.replace("http", "ws"), { headers: bearer(token) });
  const message = new Promise((resolve) => socket.on("message", (data) => resolve(String(data))));
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("open", () => socket.send("hello"));
  expect(await message).toBe("hello");
  expect(sockets).toEqual([["ada", undefined, false]]);
  await host.close();
  await closed;
});

test("applies the checks of a request to a socket", async () => {
  const { host, sockets } = await scene();
  const url = host.url.replace("http", "ws");
  expect(await refusal(url, {})).toBe(401);
  expect(await refusal(url, bearer("wrong-token-0123"))).toBe(401);
  expect(await refusal(url, { ...bearer(token), origin: "https://evil.example" })).toBe(403);
  expect(await refusal(url, { ...bearer(token), host: "evil.example" })).toBe(403);
  expect(await refusal(`${url}?access_token=${token}`, {})).toBe(400);
  expect(sockets).toEqual([]);
});

test("refuses an upgrade to any protocol but websocket with a complete response", async () => {
  const { host, sockets } = await scene();
  const text = await sendRawBytes(
    host.port,
    `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  );
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(text).toMatch(/\r\n\r\n\{"error":\{"code":"invalid_request".*\}\}$/);
  expect(sockets).toEqual([]);
});
