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

/** Resolves when a server has asked, so that a test need not guess when that is. */
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

describe("a question of an old server", () => {
  it("reaches nobody when two callers wait, and the server is told why", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const [ada, bob] = [accepting("Ada"), accepting("Bob")];
    const ender = new AbortController();
    const waiting = rejectionOf(
      callTestTool(session, "slow", { ms: 60_000, steps: 1 }, { caller: { ask: bob }, signal: ender.signal }),
    );
    const result = await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask: ada } });
    expect(result).toMatchObject({ isError: true });
    expect(resultText(result)).toContain("it cannot be told whose question this is");
    expect(ada).not.toHaveBeenCalled();
    expect(bob).not.toHaveBeenCalled();
    ender.abort();
    await waiting;
    expect(
      resultText(await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask: ada } })),
    ).toBe("Hello Ada");
  });

  it("reaches nobody while another waits, even one that cannot answer: it may be about the other's call", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const ender = new AbortController();
    const waiting = rejectionOf(
      callTestTool(session, "slow", { ms: 60_000, steps: 1 }, { caller: {}, signal: ender.signal }),
    );
    const ada = accepting("Ada");
    const result = await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask: ada } });
    expect(resultText(result)).toContain("it cannot be told whose question this is");
    expect(ada).not.toHaveBeenCalled();
    ender.abort();
    await waiting;
  });

  it("goes by parties: two calls of one party are one caller's, and two parties are two, although one function answers", async () => {
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
    expect(resultText(await asked("bob"))).toContain("it cannot be told whose question this is");
    expect(ask).toHaveBeenCalledTimes(1);
    ender.abort();
    await waiting;
  });

  it("is refused where nobody can be asked", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const result = await callTestTool(session, "ask", { question: "Who?" });
    expect(resultText(result)).toContain("Nobody who could answer");
  });

  it("stops the clock of the call while somebody thinks", async () => {
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

  it("why a caller did not answer is not told to the server", async () => {
    const session = await openTestSession(toyServerConfig("legacy", { era: "legacy" }));
    const ask = async () => {
      throw new Error("my secret reason");
    };
    const result = await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask } });
    expect(resultText(result)).toContain("did not answer");
    expect(resultText(result)).not.toContain("secret");
  });
});

describe("a question of a modern server", () => {
  it("goes to the caller of that very request, however many wait", async () => {
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

  it("is not asked of a caller that says it cannot answer such questions", async () => {
    const toy = await startToyHttp();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    const ask = accepting("Ada");
    const caller = { ask, capabilities: { roots: {} } };
    const failure = await rejectionOf(callTestTool(session, "ask", { question: "Who?" }, { caller }));
    expect(failure).toMatchObject({ code: "mcp_refused", failure: { cause: { code: -32_021 } } });
    expect(ask).not.toHaveBeenCalled();
  });

  it("fails where a server asks all the same and there is nobody", async () => {
    const session = await openTestSession(rawServerConfig("modern", { era: "modern" }));
    const failure = await rejectionOf(callTestTool(session, "ask"));
    expect(failure).toMatchObject({ code: "mcp_protocol" });
    expect(failure.message).toContain("there is nobody to ask");
  });

  it("that never ends is ended", async () => {
    const session = await openTestSession(rawServerConfig("modern", { era: "modern" }));
    const ask = accepting("Ada");
    const failure = await rejectionOf(callTestTool(session, "ask", {}, { caller: { ask } }));
    expect(failure.message).toContain("more than 16 times");
    expect(ask).toHaveBeenCalledTimes(16);
  });
});
