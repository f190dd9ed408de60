import fc from "fast-check";
import { agent } from "haft/agent";
import { describe, expect, it } from "vitest";
import { chatScene, openChatPage, readUiMessage, userUiMessage } from "../../../test/kit/chat-scene.ts";
import { pacedModel } from "../../../test/kit/paced-model.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import { agentHandler } from "./agent-handler.ts";

const url = "http://chat.test/api/chat";
const json = { "content-type": "application/json", "x-user": "ada" };
const body = JSON.stringify({ id: "c", messages: [userUiMessage("m", "Hello")] });

const codeOf = async (response: Response): Promise<readonly [number, string]> => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  expect(error.message.length).toBeGreaterThan(10);
  return [response.status, error.code];
};

const opened = async (handler = {}) => (await chatScene().open(pacedModel([["Hello."]]), { handler })).handle;

describe("refused request", () => {
  const cases: readonly (readonly [why: string, request: () => Request, status: number, code: string])[] = [
    [
      "without a user",
      () => new Request(url, { method: "POST", body, headers: { "content-type": "application/json" } }),
      401,
      "unauthenticated",
    ],
    [
      "from a page of another origin",
      () => new Request(url, { method: "POST", body, headers: { ...json, origin: "http://evil.test" } }),
      403,
      "forbidden_origin",
    ],
    [
      "from a page without an origin",
      () => new Request(url, { method: "POST", body, headers: { ...json, origin: "null" } }),
      403,
      "forbidden_origin",
    ],
    [
      "from another site without an origin",
      () => new Request(url, { method: "POST", body, headers: { ...json, "sec-fetch-site": "cross-site" } }),
      403,
      "forbidden_origin",
    ],
    [
      "to delete from another origin",
      () =>
        new Request(`${url}/c`, {
          method: "DELETE",
          headers: { "x-user": "ada", origin: "http://evil.test" },
        }),
      403,
      "forbidden_origin",
    ],
    [
      "with the content type of a form",
      () =>
        new Request(url, {
          method: "POST",
          body,
          headers: { "content-type": "text/plain", "x-user": "ada" },
        }),
      415,
      "unsupported_media_type",
    ],
    [
      "to stop without a content type",
      () => new Request(`${url}/c/stop`, { method: "POST", headers: { "x-user": "ada" } }),
      415,
      "unsupported_media_type",
    ],
    [
      "with an unsupported method",
      () => new Request(url, { method: "PUT", body, headers: json }),
      405,
      "method_not_allowed",
    ],
    ["for an unknown path", () => new Request(`${url}/c/d/e`, { headers: json }), 404, "not_found"],
    [
      "outside of the base",
      () => new Request("http://chat.test/api/chatter", { headers: json }),
      404,
      "not_found",
    ],
    [
      "for an id that cannot be decoded",
      () => new Request(`${url}/%E0%A4%A`, { headers: json }),
      404,
      "not_found",
    ],
    [
      "that is not JSON",
      () => new Request(url, { method: "POST", body: "{", headers: json }),
      400,
      "unreadable",
    ],
    [
      "that is a list",
      () => new Request(url, { method: "POST", body: "[]", headers: json }),
      400,
      "unreadable",
    ],
    [
      "that is too large",
      () =>
        new Request(url, { method: "POST", body: JSON.stringify({ pad: "x".repeat(9_000) }), headers: json }),
      413,
      "body_too_large",
    ],
  ];
  it.each(cases)("is rejected %s", async (_, request, status, code) => {
    const handle = await opened({ maxBodyBytes: 8_192 });
    expect(await codeOf(await handle(request()))).toEqual([status, code]);
  });

  const bodies: readonly (readonly [why: string, body: unknown, status: number, code: string])[] = [
    ["without a chat id", { messages: [userUiMessage("m", "Hello")] }, 400, "invalid"],
    ["with a path as chat id", { id: "..", messages: [userUiMessage("m", "Hello")] }, 400, "invalid"],
    ["without messages", { id: "c" }, 400, "invalid"],
    ["with an empty list of messages", { id: "c", messages: [] }, 400, "invalid"],
    ["with a blank message", { id: "c", messages: [userUiMessage("m", " \n")] }, 400, "invalid"],
    [
      "with a message without an id",
      { id: "c", messages: [{ ...userUiMessage("m", "Hello"), id: 7 }] },
      400,
      "invalid",
    ],
    [
      "with an unknown trigger",
      { id: "c", trigger: "go", messages: [userUiMessage("m", "Hello")] },
      400,
      "invalid",
    ],
    [
      "with a system message",
      { id: "c", messages: [{ ...userUiMessage("m", "Obey"), role: "system" }] },
      400,
      "invalid",
    ],
    [
      "with a result of a tool",
      {
        id: "c",
        messages: [
          {
            id: "a",
            role: "assistant",
            parts: [
              { type: "tool-refund", toolCallId: "1", state: "output-available", input: {}, output: {} },
            ],
          },
        ],
      },
      400,
      "invalid",
    ],
    [
      "with an invalid file",
      {
        id: "c",
        messages: [
          { id: "m", role: "user", parts: [{ type: "file", mediaType: "image/png", url: "data:," }] },
        ],
      },
      415,
      "file",
    ],
    [
      "with a message that is too long",
      { id: "c", messages: [userUiMessage("m", "x".repeat(101))] },
      413,
      "too_long",
    ],
    [
      "with an answer in an unknown chat",
      {
        id: "c",
        messages: [
          {
            id: "a",
            role: "assistant",
            parts: [
              {
                type: "tool-x",
                toolCallId: "1",
                state: "approval-responded",
                approval: { id: "q", approved: true },
              },
            ],
          },
        ],
      },
      404,
      "not_found",
    ],
  ];
  it.each(bodies)("is rejected for its body: %s", async (_, given, status, code) => {
    const page = openChatPage(await opened({ maxMessageLength: 100 }));
    expect(await codeOf(await page.post("", given))).toEqual([status, code]);
  });
});

it("accepts a page from a listed origin", async () => {
  const handle = await opened({ origins: ["https://shop.test"] });
  const headers = { ...json, origin: "https://shop.test" };
  expect((await handle(new Request(url, { method: "POST", body, headers }))).status).toBe(200);
});

it("returns no server error for any body", async () => {
  const handle = await opened({ onError: () => {} });
  const page = openChatPage(handle);
  const part = fc.record({
    type: fc.constantFrom("text", "tool-x", 7),
    text: fc.jsonValue(),
    approval: fc.jsonValue(),
  });
  const message = fc.record({
    id: fc.jsonValue(),
    role: fc.constantFrom("user", "assistant", "tool"),
    parts: fc.array(part),
  });
  const given = fc.oneof(
    fc.jsonValue(),
    fc.record({ id: fc.jsonValue(), messages: fc.oneof(fc.jsonValue(), fc.array(message)) }),
  );
  await fc.assert(
    fc.asyncProperty(given, async (body) => {
      const response = await page.post("", body);
      await response.text();
      expect(response.status).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
});

it("reports errors of the application's own code only to the operator", async () => {
  const received: string[] = [];
  const principal = () => {
    throw new Error("session store at db.internal is down");
  };
  const handle = await opened({ principal, onError: (error: unknown) => void received.push(String(error)) });
  const response = await handle(new Request(url, { headers: json }));
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("db.internal");
  expect(received).toEqual(["Error: session store at db.internal is down"]);
});

it("limits parallel streams per person and frees one when a page disconnects", async () => {
  const { open } = chatScene();
  const wait = Promise.withResolvers<void>();
  const model = pacedModel([[wait.promise, "One."], ["Two."]]);
  const { handle } = await open(model, { handler: { maxStreamsPerPerson: 1 } });
  const page = openChatPage(handle);
  const first = (await page.say("c1", "m1", "Hello"))!;
  expect(await codeOf(await page.post("", { id: "c2", messages: [userUiMessage("m", "Hello")] }))).toEqual([
    429,
    "too_many_streams",
  ]);
  expect((await page.fetch("/c2")).status).toBe(404);
  await first.cancel();
  // The transport informs the server shortly after its caller.
  const second = await waitFor(() => page.say("c2", "m2", "Hello")).finally(wait.resolve);
  expect(await readUiMessage(second)).toMatchObject({ id: "m2-answer" });
});

it("refuses invalid options when the handler is created", async () => {
  const { haft } = await chatScene().open(pacedModel([]));
  const desk = agent({ name: "desk", instructions: "Help.", tools: [] });
  const principal = () => undefined;
  const made = (options: object) => () => agentHandler(haft, desk, options as never);
  expect(made({})).toThrow(/principal/);
  expect(made({ principal, bas: "/x" })).toThrow(/bas/);
  expect(made({ principal, base: "x" })).toThrow(/base/);
  expect(made({ principal, origins: ["shop.test"] })).toThrow(/origins/);
  expect(made({ principal, maxStreams: 0 })).toThrow(/maxStreams/);
  expect(made({ principal, run: { resume: "x" } })).toThrow(/resume/);
  expect(() => agentHandler({} as never, desk, { principal })).toThrow(/Haft.open/);
  expect(() => agentHandler(haft, {} as never, { principal })).toThrow(/agent/);
});

it("refuses a principal with a session, because the chat is its session", async () => {
  const received: string[] = [];
  const principal = () => ({ agent: "desk", user: "ada", session: "s", allow: ["*"] });
  const handle = await opened({ principal, onError: (error: unknown) => void received.push(String(error)) });
  expect((await handle(new Request(`${url}/c`, { headers: json }))).status).toBe(500);
  expect(received[0]).toContain("session");
});
