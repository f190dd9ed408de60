import {
  McpUiHostContextChangedNotificationSchema,
  McpUiInitializeResultSchema,
  McpUiToolInputNotificationSchema,
  McpUiToolResultNotificationSchema,
} from "@modelcontextprotocol/ext-apps";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { waitFor } from "../../test/kit/wait-for.ts";
import { type AppHost, createAppSession } from "./app-session.ts";
import { frameAddress, hasOtherHost } from "./frame-address.ts";

interface Sent {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const allowedOrigins = { connect: ["https://api.example"], resource: [], frame: [], base: [] };

const scene = (host: Partial<AppHost> = {}) => {
  const sent: Sent[] = [];
  const session = createAppSession((message) => sent.push(message as Sent), {
    version: "1.0.0",
    view: {
      server: "weather",
      uri: "ui://weather/page.html",
      tool: { name: "forecast", inputSchema: { type: "object" } },
      input: { city: "Lima" },
      result: { content: [{ type: "text", text: "Sun" }], structuredContent: { sky: "sun" } },
    },
    allowedOrigins,
    context: () => ({ theme: "dark", containerDimensions: { width: 400, maxHeight: 800 } }),
    callTool: async () => ({ content: [] }),
    readResource: async () => ({ contents: [] }),
    openLink: async () => true,
    takeMessage: async () => true,
    resize: () => {},
    log: () => {},
    close: () => {},
    ...host,
  });
  let last = 0;
  const ask = async (method: string, params: object = {}): Promise<Sent> => {
    const id = ++last;
    session.receive({ jsonrpc: "2.0", id, method, params });
    return waitFor(() => {
      const found = sent.find((each) => each.id === id && each.method === undefined);
      if (found === undefined) throw new Error(`${method} has no answer`);
      return found;
    });
  };
  const notify = (method: string, params: object = {}) => session.receive({ jsonrpc: "2.0", method, params });
  const begin = async (): Promise<Sent> => {
    const answer = await ask("ui/initialize", { protocolVersion: "2026-01-26" });
    notify("ui/notifications/initialized");
    return answer;
  };
  return { sent, session, ask, notify, begin };
};

describe("host of an app", () => {
  it("sends messages that match the schemas of the specification, and none before the app is ready", async () => {
    const { sent, session, begin, notify } = scene();
    session.changeContext({ theme: "light" });
    notify("ui/notifications/initialized");
    expect(sent).toEqual([]);
    const { result } = await begin();
    const told = McpUiInitializeResultSchema.parse(result);
    expect(told.hostInfo).toEqual({ name: "haft-studio", version: "1.0.0" });
    expect(told.hostCapabilities.sandbox?.csp?.connectDomains).toEqual(["https://api.example"]);
    expect(told.hostContext.toolInfo?.tool.name).toBe("forecast");
    const [input, output, ...more] = sent.slice(1);
    expect(McpUiToolInputNotificationSchema.parse(input).params.arguments).toEqual({ city: "Lima" });
    expect(McpUiToolResultNotificationSchema.parse(output).params.structuredContent).toEqual({ sky: "sun" });
    expect(more).toEqual([]);
    session.changeContext({ theme: "light" });
    expect(McpUiHostContextChangedNotificationSchema.parse(sent.at(-1)).params.theme).toBe("light");
    notify("ui/notifications/initialized");
    expect(sent).toHaveLength(4);
  });

  it("accepts only a ping before the handshake, and no second handshake", async () => {
    const callTool = vi.fn(async () => ({}));
    const { ask, begin } = scene({ callTool });
    expect((await ask("tools/call", { name: "x" })).error?.message).toBe("Send ui/initialize first.");
    expect((await ask("ping")).result).toEqual({});
    await begin();
    expect((await ask("ui/initialize")).error?.message).toBe("The App is already initialized.");
    expect(callTool).not.toHaveBeenCalled();
  });

  it("refuses unknown methods and invalid parameters", async () => {
    const { ask, begin } = scene();
    await begin();
    for (const method of ["sampling/createMessage", "tools/list", "__proto__", "constructor", "toString"]) {
      expect((await ask(method)).error?.code, method).toBe(-32_601);
    }
    for (const params of [{}, { name: 7 }, { name: "x", arguments: [] }, { name: "x", arguments: "y" }]) {
      expect((await ask("tools/call", params)).error?.code).toBe(-32_602);
    }
    expect((await ask("resources/read", { uri: {} })).error?.code).toBe(-32_602);
    expect((await ask("ui/request-display-mode", { mode: "fullscreen" })).result).toEqual({ mode: "inline" });
  });

  it("asks the user only about web pages, and reports a refusal", async () => {
    const openLink = vi.fn(async () => false);
    const { ask, begin } = scene({ openLink });
    await begin();
    const odd = [
      "javascript:alert(1)",
      "file:///x",
      "data:text/html,x",
      "https://a@b.test",
      "x",
      7,
      undefined,
    ];
    for (const url of odd) expect((await ask("ui/open-link", { url })).result).toEqual({ isError: true });
    expect(openLink).not.toHaveBeenCalled();
    expect((await ask("ui/open-link", { url: "https://a.test/b" })).result).toEqual({ isError: true });
    expect(openLink).toHaveBeenCalledOnce();
  });

  it("accepts a message as text in both spellings and truncates a long one", async () => {
    const takeMessage = vi.fn(async (_: string) => true);
    const { ask, begin } = scene({ takeMessage });
    await begin();
    const block = { type: "text", text: "Hello" };
    await ask("ui/message", { role: "user", content: block });
    await ask("ui/message", { role: "user", content: [block, { type: "image", data: "x" }, block] });
    await ask("ui/message", { role: "user", content: [{ type: "text", text: "x".repeat(50_000) }] });
    expect((await ask("ui/message", { content: [{ type: "image" }] })).result).toEqual({ isError: true });
    expect(takeMessage.mock.calls.map(([text]) => text.length)).toEqual([5, 11, 10_000]);
  });

  it("accepts at most eight parallel requests, and passes on the error of one that failed", async () => {
    const releases: ((value: object) => void)[] = [];
    const { ask, begin } = scene({
      callTool: () => new Promise((resolve) => releases.push(resolve)),
      readResource: async () => {
        throw new Error("There is no such resource.");
      },
    });
    await begin();
    const waiting = Array.from({ length: 8 }, () => ask("tools/call", { name: "x" }));
    expect((await ask("tools/call", { name: "x" })).error?.message).toBe("Too many concurrent requests.");
    for (const release of releases) release({ content: [] });
    await Promise.all(waiting);
    expect((await ask("resources/read", { uri: "ui://x" })).error?.message).toBe(
      "There is no such resource.",
    );
  });

  it("informs the app before it is closed, waits for its answer and sends nothing afterward", async () => {
    const { sent, session, begin } = scene();
    await begin();
    const gone = session.teardown(60_000);
    expect(sent.at(-1)).toMatchObject({ method: "ui/resource-teardown" });
    session.receive({ jsonrpc: "2.0", id: sent.at(-1)?.id, result: {} });
    await gone;
    const count = sent.length;
    session.changeContext({ theme: "light" });
    session.receive({ jsonrpc: "2.0", id: 99, method: "ping" });
    expect(sent).toHaveLength(count);
    const never = scene();
    await never.session.teardown(60_000);
    expect(never.sent).toEqual([]);
  });

  it("accepts arbitrary messages without an error", async () => {
    const { session, begin, ask } = scene();
    await begin();
    fc.assert(
      fc.property(fc.anything(), (message) => {
        session.receive(message);
        session.receive({ jsonrpc: "2.0", method: "notifications/message", params: message });
        session.receive({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: message });
      }),
      { seed: 47, numRuns: 500 },
    );
    expect((await ask("ping")).result).toEqual({});
  });
});

describe("address of the frame", () => {
  it("has the Studio and each origin, on another host than the Studio", () => {
    const address = new URL(frameAddress("http://localhost:7335", "http://127.0.0.1:7334", allowedOrigins));
    expect(address.origin).toBe("http://localhost:7335");
    expect([...address.searchParams]).toEqual([
      ["studio", "http://127.0.0.1:7334"],
      ["connect", "https://api.example"],
    ]);
    expect(hasOtherHost("http://localhost:7335", "http://127.0.0.1:7334")).toBe(true);
    expect(hasOtherHost("http://localhost:7335", "http://localhost:7334")).toBe(false);
    expect(hasOtherHost("https://apps.example", "https://studio.example")).toBe(true);
  });
});
