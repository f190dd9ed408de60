import * as Effect from "effect/Effect";
import { Haft, http, tool } from "haft";
import { retry } from "haft/layers";
import { expect, it } from "vitest";
import { loopbackServer, type SeenRequest } from "./loopback-server.ts";

const principal = { agent: "tester", allow: ["*"] };

/** The requests of two calls of one tool, of which the first fails twice. */
const play = (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"): Promise<readonly SeenRequest[]> =>
  Effect.gen(function* () {
    let count = 0;
    const server = yield* loopbackServer(
      (_, response) => void response.writeHead(++count < 3 ? 503 : 200).end("ok"),
    );
    const order = tool({
      name: "order",
      description: "Orders",
      input: { type: "object" } as const,
      annotations: { idempotent: true },
      implementation: http({ url: server.origin, method }),
    }).layer(retry({ attempts: 3, base: "1 millis" }));
    yield* Effect.promise(async () => {
      await using haft = await Haft.open({
        tools: [order],
        principal,
        httpEgress: { allow: [server.place] },
      });
      await haft.call("order", {});
      await haft.call("order", {});
    });
    return server.seen;
  }).pipe(Effect.scoped, Effect.runPromise);

it.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
  "every attempt of one %s carries the same Idempotency-Key, and the next call another",
  async (method) => {
    const keys = (await play(method)).map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(4);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[0]).toMatch(/^[\w-]{8,}$/);
    expect(keys[3]).not.toBe(keys[0]);
  },
);

it("a GET request carries no key", async () => {
  for (const { headers } of await play("GET")) expect(headers).not.toHaveProperty("idempotency-key");
});
