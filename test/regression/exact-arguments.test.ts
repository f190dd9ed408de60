import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Haft, tool } from "haft";
import { serveHttp, serveStdio } from "haft/mcp";
import { collectCalls, readCalls } from "haft/models";
import { anthropic } from "haft/models/anthropic";
import { gemini } from "haft/models/gemini";
import { ollama } from "haft/models/ollama";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { hashText } from "../../src/base/json/canonical-json.ts";
import { type ScriptedResponse, wireServer } from "../kit/wire-server.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const keep = (seen: unknown[]) =>
  tool({
    name: "keep",
    description: "Keeps an id",
    input: { type: "object", properties: { id: { type: "number" } }, required: ["id"] } as const,
    run: (input) => {
      seen.push(input);
      return "kept";
    },
  });

/** A runtime with one tool, and the inputs of that tool. */
const runtime = async () => {
  const seen: unknown[] = [];
  const haft = await Haft.open({ tools: [keep(seen)], principal: { agent: "tester", allow: ["*"] } });
  open.push(() => haft.close());
  return { haft, seen };
};

/** Texts that the native parser changes silently, and the errors that are expected instead. */
const altered: readonly (readonly [string, string])[] = [
  ['{"id":9007199254740993}', "would lose digits"],
  ['{"id":1,"id":2}', "is duplicated"],
  ['{"id":1e-400}', "would become 0"],
  ['{"id":1,"__proto__":{"isAdmin":true}}', "__proto__"],
];

interface Reply {
  readonly id?: unknown;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Sends the text of a message and returns the answer to it, whatever the transport. */
type Send = (message: string) => Promise<Reply>;

const newEra =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}';
const initialize =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}';
const callText = (args: string, more = ""): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"keep",${more}"arguments":${args}}}`;

const overHttp = async (haft: Haft): Promise<string> => {
  const host = await serveHttp(haft, { port: 0 });
  open.push(() => host.close());
  return host.url;
};

const post =
  (
    url: string,
    headers: Readonly<Record<string, string>>,
  ): ((text: string | Uint8Array) => Promise<Response>) =>
  (text) =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: text,
    });

const read = async (response: Response): Promise<Reply> => {
  const text = await response.text();
  return JSON.parse(text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}")) as Reply;
};

/** Answers on an open connection, by the id of their request. */
const answers = () => {
  const waiting = new Map<unknown, (reply: Reply) => void>();
  const take = (text: string): void => {
    const reply = JSON.parse(text) as Reply;
    waiting.get(reply.id)?.(reply);
  };
  const to = (id: unknown): Promise<Reply> => new Promise((resolve) => waiting.set(id, resolve));
  return { take, to };
};

const doors: Readonly<Record<string, (haft: Haft) => Promise<{ send: Send; more?: string }>>> = {
  "Streamable HTTP of the new era": async (haft) => {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "keep" };
    const ask = post(await overHttp(haft), headers);
    return { send: async (text) => read(await ask(text)), more: `${newEra},` };
  },
  "Streamable HTTP with a session": async (haft) => {
    const url = await overHttp(haft);
    const greeting = await post(url, {})(initialize);
    await greeting.text();
    const ask = post(url, { "mcp-session-id": greeting.headers.get("mcp-session-id") ?? "" });
    await (await ask('{"jsonrpc":"2.0","method":"notifications/initialized"}')).text();
    return { send: async (text) => read(await ask(text)) };
  },
  WebSocket: async (haft) => {
    const socket = new WebSocket((await overHttp(haft)).replace("http", "ws"), "mcp");
    open.push(() => socket.terminate());
    const { take, to } = answers();
    socket.on("message", (data) => take(String(data)));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const send = (text: string, id = 1) => {
      const reply = to(id);
      socket.send(text);
      return reply;
    };
    await send(initialize, 0);
    return { send };
  },
  stdio: async (haft) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const { take, to } = answers();
    let rest = "";
    stdout.on("data", (chunk) => {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
    });
    const connection = await serveStdio(haft, { stdin, stdout });
    open.push(() => connection.close());
    const send = (text: string, id = 1) => {
      const reply = to(id);
      stdin.write(`${text}\n`);
      return reply;
    };
    await send(initialize, 0);
    return { send };
  },
};

describe.each(Object.entries(doors))("arguments that a gateway client sends over %s", (_, enter) => {
  it.each(altered)("are refused when parsing would change them: %s", async (args, why) => {
    const { haft, seen } = await runtime();
    const { send, more } = await enter(haft);
    const { result } = await send(callText(args, more));
    expect(seen).toEqual([]);
    expect(result?.isError).toBe(true);
    expect(result?.content?.[0]?.text).toContain(why);
    const [entry] = await haft.log({ tool: "keep" });
    expect(entry).toMatchObject({ ending: "failed", code: "unreadable_input" });
  });

  it("run the tool when they are exact", async () => {
    const { haft, seen } = await runtime();
    const { send, more } = await enter(haft);
    const { result } = await send(callText('{ "id" : 9007199254740991 }', more));
    expect(result?.isError).not.toBe(true);
    expect(seen).toEqual([{ id: 9007199254740991 }]);
  });
});

/** Replaces the @ of the text by a byte that UTF-8 does not have. */
const notText = (text: string): Uint8Array => {
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf("@")] = 0xff;
  return bytes;
};

describe("a message of a gateway client", () => {
  it.each([
    ["has duplicate arguments", callText('{"id":1}', `${newEra},"arguments":{"id":2},`)],
    [
      "has duplicate parameters",
      callText('{"id":1}', `${newEra},`).replace('"params"', '"params":{},"params"'),
    ],
    ["names its tool twice", callText('{"id":1}', `"name":"other",${newEra},`)],
    [
      "has an id that would lose digits",
      callText('{"id":1}', `${newEra},`).replace('"id":1,"method"', '"id":9007199254740993,"method"'),
    ],
    ["has invalid UTF-8", notText(callText('{"id":1}', `${newEra},"x":"@",`))],
  ])("is refused as a whole when it %s", async (_, body) => {
    const { haft, seen } = await runtime();
    const url = await overHttp(haft);
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "keep" };
    const response = await post(url, headers)(body);
    expect([response.status, (await read(response)).error?.code]).toEqual([400, -32700]);
    expect(seen).toEqual([]);
  });
});

/** One call as each vendor that sends arguments as objects writes it, whole and streamed. */
const vendors = {
  anthropic: {
    model: (url: string) => anthropic("m", { apiKey: "key", baseUrl: url }),
    whole: (args: string): ScriptedResponse => ({
      text: `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"keep","input":${args}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
    }),
    streamed: (args: string): ScriptedResponse => ({
      headers: { "content-type": "text/event-stream" },
      text: [
        '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}',
        `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"keep","input":${args}}}`,
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}',
        '{"type":"message_stop"}',
      ]
        .map((event) => `event: ${(JSON.parse(event) as { type: string }).type}\ndata: ${event}\n\n`)
        .join(""),
    }),
  },
  ollama: {
    model: (url: string) => ollama("m", { host: url }),
    whole: (args: string): ScriptedResponse => ({
      text: `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"keep","arguments":${args}}}]},"done":true,"done_reason":"stop"}`,
    }),
    streamed: (args: string): ScriptedResponse => ({
      headers: { "content-type": "application/x-ndjson" },
      text: `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"keep","arguments":${args}}}]},"done":false}\n{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n`,
    }),
  },
  gemini: {
    model: (url: string) => gemini("m", { apiKey: "key", baseUrl: url }),
    whole: (args: string): ScriptedResponse => ({
      text: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"keep","args":${args}}}]},"finishReason":"STOP"}]}`,
    }),
    streamed: (args: string): ScriptedResponse => ({
      headers: { "content-type": "text/event-stream" },
      text: `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"keep","args":${args}}}]},"finishReason":"STOP"}]}\r\n\r\n`,
    }),
  },
};

describe.each(Object.entries(vendors))(
  "arguments that %s sends as an object",
  (_, { model, whole, streamed }) => {
    const calls = async (answer: ScriptedResponse, isStream: boolean) => {
      const server = await wireServer({ "*": answer });
      open.push(server.close);
      const { haft, seen } = await runtime();
      const request = {
        messages: [{ role: "user" as const, content: "keep it" }],
        tools: [{ wireName: "keep", spec: keep([]).spec }],
      };
      const asked = model(server.url);
      if (!isStream) return { haft, seen, calls: (await asked.generate(request)).calls };
      for await (const event of asked.stream(request)) {
        if (event.kind === "reply") return { haft, seen, calls: event.reply.calls };
      }
      throw new Error("there was no reply");
    };

    describe.each([
      ["whole", whole, false],
      ["streamed", streamed, true],
    ] as const)("%s", (__, answer, isStream) => {
      it.each(altered)("are refused if they cannot be parsed exactly: %s", async (args, why) => {
        const { haft, seen, calls: asked } = await calls(answer(args), isStream);
        const [reply] = await haft.turn(asked);
        expect(seen).toEqual([]);
        expect(reply).toMatchObject({ ok: false, failure: { code: "unreadable_input" } });
        expect(reply?.text).toContain(why);
      });

      it("are rejected with their reply if the object around them has a duplicate key", async () => {
        const { headers, text = "" } = answer('{"id":1}');
        const twice = text.replace('"name":"keep"', '"name":"other","name":"keep"');
        const twofold: ScriptedResponse = headers === undefined ? { text: twice } : { headers, text: twice };
        await expect(calls(twofold, isStream)).rejects.toMatchObject({ code: "model_unreadable" });
      });

      it("reach the tool if they are exact", async () => {
        const { haft, seen, calls: asked } = await calls(answer('{"id":9007199254740991}'), isStream);
        expect((await haft.turn(asked))[0]?.ok).toBe(true);
        expect(seen).toEqual([{ id: 9007199254740991 }]);
      });
    });
  },
);

describe("a reply that was parsed elsewhere", () => {
  const message: unknown = JSON.parse(vendors.anthropic.whole('{"id":9007199254740993}').text!);

  it("is unreadable if a whole number is beyond 2^53-1, because digits may be lost", async () => {
    const { haft, seen } = await runtime();
    const own = anthropic("m", { client: { messages: { create: async () => message } } });
    const { calls } = await own.generate({ messages: [{ role: "user", content: "keep it" }], tools: [] });
    for (const asked of [calls, readCalls("anthropic", message)]) {
      const [reply] = await haft.turn(asked);
      expect(reply).toMatchObject({ ok: false, failure: { code: "unreadable_input" } });
      expect(reply?.text).toContain("would lose digits");
    }
    expect(seen).toEqual([]);
  });

  it("is read exactly if it is given as text", async () => {
    const { haft, seen } = await runtime();
    for (const [args, why] of altered) {
      const { text: body = "" } = vendors.ollama.whole(args);
      for (const asked of [readCalls("ollama", body), collectCalls("ollama", body)]) {
        expect((await haft.turn(asked))[0]?.text).toContain(why);
      }
    }
    expect(seen).toEqual([]);
  });
});

describe.each(["memory", "sqlite:"])("rows of a ledger in %s", (kind) => {
  it.each(altered)("show %s as it was received", async (text) => {
    const folder = mkdtempSync(join(tmpdir(), "haft-exact-"));
    open.push(() => rmSync(folder, { recursive: true, force: true }));
    const seen: unknown[] = [];
    const haft = await Haft.open({
      tools: [keep(seen)],
      principal: { agent: "tester", allow: ["*"] },
      ...(kind === "memory" ? {} : { ledger: `${kind}${folder}/l.db` as const }),
    });
    open.push(() => haft.close());
    const withSecret = text.replace("{", '{ "password":"hunter2",');
    await haft.turn([
      { id: "1", tool: "keep", input: text },
      { id: "2", tool: "keep", input: withSecret },
    ]);
    const shown = (await haft.log()).map(({ input, inputHash }) => [input, inputHash]);
    expect(shown).toContainEqual([text, hashText(text)]);
    expect(shown).toContainEqual([withSecret.replace("hunter2", "[redacted]"), hashText(withSecret)]);
    expect(seen).toEqual([]);
  });
});
