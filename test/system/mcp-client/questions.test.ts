import { describe, expect, it, vi } from "vitest";
import type { InputRequests, McpCaller } from "../../../src/types/mcp.ts";
import {
  callTestTool,
  onTestEnd,
  openTestSession,
  rawServerConfig,
  rejectionOf,
  resultText,
  toyServerConfig,
} from "../../kit/mcp/mcp-session-scene.ts";
import { startToyHttp } from "../../kit/mcp/toy-http.ts";

const accepting = (name: string) =>
  vi.fn(async (requests: InputRequests) =>
    Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "accept", content: { name } }])),
  );

/** A caller that resolves `wasAsked` when a server asks. */
const asking = () => {
  let answer: (name: string) => void = () => {};
  let asked: () => void = () => {};
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const caller: McpCaller = {
    ask: (requests) => {
      asked();
      return new Promise((resolve) => {
        answer = (name) =>
          resolve(
            Object.fromEntries(
              Object.keys(requests).map((key) => [key, { action: "accept", content: { name } }]),
            ),
          );
      });
    },
  };
  return { caller, wasAsked, answer: (name: string) => answer(name) };
};

describe("elicitation of a legacy server", () => {
  it("is rejected with the reason while calls of two callers are running", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const [ada, bob] = [accepting("Ada"), accepting("Bob")];
    const ender = new AbortController();
    const waiting = rejectionOf(
      callTestTool(session, "slow", { ms: 60_000, steps: 1 }, { caller: { ask: bob }, signal: ender.signal }),
    );
    const result = await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask: ada } });
    expect(result).toMatchObject({ isError: true });
    expect(resultText(result)).toContain("the input request cannot be assigned to one");
    expect(ada).not.toHaveBeenCalled();
    expect(bob).not.toHaveBeenCalled();
    ender.abort();
    await waiting;
    expect(
      resultText(await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask: ada } })),
    ).toBe("Hello Ada");
  });

  it("is rejected while a call of another caller runs, even of one without elicitation", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const ender = new AbortController();
    const waiting = rejectionOf(
      callTestTool(session, "slow", { ms: 60_000, steps: 1 }, { caller: {}, signal: ender.signal }),
    );
    const ada = accepting("Ada");
    const result = await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask: ada } });
    expect(resultText(result)).toContain("the input request cannot be assigned to one");
    expect(ada).not.toHaveBeenCalled();
    ender.abort();
    await waiting;
  });

  it("identifies callers by `party`, not by their functions", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const ask = accepting("Ada");
    const ender = new AbortController();
    const waiting = rejectionOf(
      callTestTool(
        session,
        "slow",
        { ms: 60_000, steps: 1 },
        { caller: { ask, party: "ada" }, signal: ender.signal },
      ),
    );
    const asked = (party: string) =>
      callTestTool(session, "ask", { question: "Who?" }, { caller: { ask, party } });
    expect(resultText(await asked("ada"))).toBe("Hello Ada");
    expect(resultText(await asked("bob"))).toContain("the input request cannot be assigned to one");
    expect(ask).toHaveBeenCalledTimes(1);
    ender.abort();
    await waiting;
  });

  it("is rejected when the caller cannot answer", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const result = await callTestTool(session, "ask", { question: "Who?" });
    expect(resultText(result)).toContain("No caller with an open request");
  });

  it("pauses the timeout of the call", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const { caller, wasAsked, answer } = asking();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestEnd(() => vi.useRealTimers());
    const pending = callTestTool(session, "ask", { question: "Who?" }, { caller, timeoutMs: 1_000 });
    await wasAsked;
    vi.advanceTimersByTime(30_000);
    answer("Ada");
    expect(resultText(await pending)).toBe("Hello Ada");
  });

  it("does not send the error of a caller to the server", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const ask = async () => {
      throw new Error("my secret reason");
    };
    const result = await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask } });
    expect(resultText(result)).toContain("did not answer");
    expect(resultText(result)).not.toContain("secret");
  });
});

describe("elicitation of a modern server", () => {
  it("is sent to the caller of its request", async () => {
    const toy = await startToyHttp();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    const names = ["Ada", "Bob", "Cyd"];
    const results = await Promise.all(
      names.map((name) =>
        callTestTool(session, "ask", { question: "Who?" }, { caller: { ask: accepting(name) } }),
      ),
    );
    expect(results.map(resultText)).toEqual(names.map((name) => `Hello ${name}`));
  });

  it("is not sent to a caller without the capability", async () => {
    const toy = await startToyHttp();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    const ask = accepting("Ada");
    const caller = { ask, capabilities: { roots: {} } };
    const failure = await rejectionOf(callTestTool(session, "ask", { question: "Who?" }, { caller }));
    expect(failure).toMatchObject({ code: "mcp_refused", failure: { cause: { code: -32_021 } } });
    expect(ask).not.toHaveBeenCalled();
  });

  it("fails when the caller cannot answer", async () => {
    const session = await openTestSession(rawServerConfig("modern", { era: "modern" }));
    const failure = await rejectionOf(callTestTool(session, "ask"));
    expect(failure).toMatchObject({ code: "mcp_protocol" });
    expect(failure.message).toContain("the caller cannot answer input requests");
  });

  it("is limited to 16 rounds per call", async () => {
    const session = await openTestSession(rawServerConfig("modern", { era: "modern" }));
    const ask = accepting("Ada");
    const failure = await rejectionOf(callTestTool(session, "ask", {}, { caller: { ask } }));
    expect(failure.message).toContain("more than 16 times");
    expect(ask).toHaveBeenCalledTimes(16);
  });
});
