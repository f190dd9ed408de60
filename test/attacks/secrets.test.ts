import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import { type EventName, Haft, type HttpOptions, http, type Reply, tool } from "haft";
import { describe, expect, it } from "vitest";
import type { SecretSource } from "../../src/base/credentials/secret-source.ts";
import type { AnyTool } from "../../src/types/tool.ts";
import { type LoopbackServer, loopbackServer } from "../loopback-server.ts";

const canary = "canary-7d2f-do-not-print";
const principal = { agent: "tester", session: "one", allow: ["*"] };
const any = { type: "object" } as const;
const heardOf: readonly EventName[] = [
  "tools.started",
  "tools.executed",
  "tools.failed",
  "tools.pending",
  "tools.progress",
];

interface Scene {
  /** Tools in addition to `login`, which needs the secret. */
  readonly tools?: readonly AnyTool[];
  readonly http?: Partial<HttpOptions>;
  readonly answer?: (request: { readonly header: string | undefined }) => readonly [number, string];
  readonly credentials?: SecretSource;
  readonly call?: { readonly tool: string; readonly input: string };
}

interface Told {
  readonly reply: Reply;
  readonly server: LoopbackServer;
  /** All text that leaves the runtime: replies, ledger rows, events and error messages. */
  readonly printed: string;
}

/** Calls `login`, which sends the secret, and then the tool of the scene. */
const play = (scene: Scene): Promise<Told> =>
  Effect.gen(function* () {
    const server = yield* loopbackServer((request, response) => {
      const [status, body] = scene.answer?.({ header: request.headers.authorization }) ?? [200, "fine"];
      response.writeHead(status, { "content-type": "text/plain" }).end(body);
    });
    return yield* Effect.promise(() => tellAll(scene, server));
  }).pipe(Effect.scoped, Effect.runPromise);

const tellAll = async (scene: Scene, server: LoopbackServer): Promise<Told> => {
  const login = tool({
    name: "login",
    description: "Sends the secret",
    input: any,
    implementation: http({ url: server.origin, auth: { secret: "key" }, ...scene.http }),
  });
  const tools = [login, ...(scene.tools ?? [])] as [typeof login];
  await using haft = await Haft.open({
    tools,
    principal,
    credentials: scene.credentials ?? { values: { key: canary } },
    httpEgress: { allow: [server.place] },
  });
  const events: unknown[] = [];
  for (const name of heardOf) haft.on(name, (event) => events.push([name, event]));
  const [first] = await haft.turn([{ id: "0", tool: "login", input: "{}" }]);
  const asked = scene.call ?? { tool: "login", input: "{}" };
  const [reply] = await haft.turn([{ id: "1", ...asked }]);
  const error = await haft.call(asked.tool, JSON.parse(asked.input)).then(
    () => undefined,
    (thrown: Error) => [String(thrown), thrown.message, thrown.stack],
  );
  const rows = await haft.log();
  const printed = [first?.text, reply?.text, inspect([events, rows, error], { depth: 20 })].join("\n");
  return { reply: reply as Reply, server, printed: printed + JSON.stringify([events, rows, error]) };
};

const throwing = (error: () => unknown): AnyTool =>
  tool({
    name: "leaky",
    description: "Fails with more words than it should",
    input: any,
    run: () => {
      throw error();
    },
  });

const leaky = { tool: "leaky", input: "{}" };

describe("a secret that the runtime provides", () => {
  it("is sent in its header and appears nowhere else", async () => {
    const { reply, server, printed } = await play({});
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${canary}`);
    expect(reply.ok).toBe(true);
    expect(printed).not.toContain(canary);
  });

  it("is masked when it comes from the environment", async () => {
    process.env.HAFT_TEST_CANARY = canary;
    const { server, printed } = await play({ credentials: { env: { HAFT_TEST_CANARY: "key" } } });
    delete process.env.HAFT_TEST_CANARY;
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${canary}`);
    expect(printed).not.toContain(canary);
  });

  it("is masked in a result that echoes it, plain, in base64 and in a URL", async () => {
    const odd = "canary/9+a b&c=d";
    const { reply, printed } = await play({
      credentials: { values: { key: odd } },
      http: { auth: { secret: "key", scheme: "basic" } },
      answer: ({ header }) => [200, `${header} ${odd} https://example.com/?q=${encodeURIComponent(odd)}`],
    });
    expect(reply.text).toContain("[redacted]");
    for (const form of [odd, encodeURIComponent(odd), Buffer.from(odd).toString("base64").slice(0, -2)]) {
      expect(printed).not.toContain(form);
    }
  });

  it("is masked in the failure of a server that quotes it", async () => {
    const { reply, printed } = await play({ answer: ({ header }) => [401, `bad credentials: ${header}`] });
    expect(reply.failure).toMatchObject({ code: "failed" });
    expect(reply.text).toContain("answered 401");
    expect(printed).not.toContain(canary);
  });

  it("is masked in the URL of a refused request", async () => {
    const { reply, printed } = await play({
      tools: [
        tool({
          name: "leaky",
          description: "Puts the secret into a path and a query",
          input: { type: "object", properties: { q: { type: "string" } } } as const,
          implementation: http({ url: "http://10.0.0.1/{q}", query: { q: (input) => input.q } }),
        }) as AnyTool,
      ],
      call: { tool: "leaky", input: JSON.stringify({ q: canary }) },
    });
    expect(reply.failure).toMatchObject({ code: "outside_refused" });
    expect(printed).not.toContain(canary);
  });

  it.each<[string, () => unknown]>([
    ["the message", () => new Error(`connect failed with ${canary}`)],
    ["the cause", () => new Error("connect failed", { cause: new Error(canary) })],
    ["a property", () => Object.assign(new Error("connect failed"), { config: { headers: { k: canary } } })],
    ["a thrown string", () => `connect failed with ${canary}`],
  ])("is masked when a tool's error holds it in %s", async (_, error) => {
    const { reply, printed } = await play({ tools: [throwing(error)], call: leaky });
    expect(reply.failure).toMatchObject({ code: "failed", ran: true });
    expect(reply.text).toContain("connect failed");
    expect(printed).not.toContain(canary);
  });

  it("is masked when a tool dies of an error that holds it", async () => {
    const dying = tool({
      name: "leaky",
      description: "Dies",
      input: any,
      run: () => Effect.die(new Error(`lost ${canary}`)),
    });
    const { reply, printed } = await play({ tools: [dying], call: leaky });
    expect(reply.failure).toMatchObject({ code: "crashed" });
    expect(printed).not.toContain(canary);
  });

  it("is masked in arguments and in the result that repeats them", async () => {
    let ran: unknown;
    const echo = tool({
      name: "leaky",
      description: "Repeats",
      input: any,
      run: (input) => {
        ran = input;
        return { received: input };
      },
    });
    const { reply, printed } = await play({
      tools: [echo],
      call: { tool: "leaky", input: JSON.stringify({ note: `use ${canary}` }) },
    });
    expect(ran).toEqual({ note: `use ${canary}` });
    expect(reply.text).toBe('{"received":{"note":"use [redacted]"}}');
    expect(printed).not.toContain(canary);
  });
});

describe("a secret recognized only by its key", () => {
  it.each(["password", "apiKey", "X-Api-Key", "Authorization", "refresh_token"])(
    "is masked in the ledger under %s but passed to the tool",
    async (key) => {
      let ran: unknown;
      const store = tool({
        name: "leaky",
        description: "Keeps",
        input: any,
        run: (input) => {
          ran = input;
          return "kept";
        },
      });
      const { printed } = await play({
        tools: [store],
        credentials: { values: { key: "another-secret-value" } },
        call: { tool: "leaky", input: JSON.stringify({ deep: [{ [key]: canary }] }) },
      });
      expect(ran).toEqual({ deep: [{ [key]: canary }] });
      expect(printed).not.toContain(canary);
    },
  );
});

describe("a missing secret", () => {
  it("stops the call before anything is sent and is not named to the model", async () => {
    const { reply, server } = await play({ credentials: { values: {} } });
    expect(reply.failure).toMatchObject({ code: "secret_missing" });
    expect(reply.text).toBe('Error: The tool "login" is not available right now. Continue without it.');
    expect(server.connections()).toBe(0);
  });
});
