import { AIMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toLangChainTools } from "haft/bridges/langchain";
import { createAgent, tool as langchainTool, toolRetryMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import {
  ask,
  call,
  langchainScene,
  questionsOf,
  readThenSend,
  thread,
  toolGraph,
  toolWordsOf,
  type WrittenCall,
  writes,
} from "../../kit/langchain-scene.ts";

const retryPolicy = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };

describe("whatever a graph repeats", () => {
  it("is told again and not made again where a node of one's own is tried again by its policy", async () => {
    const { open, counted } = langchainScene();
    const counter = toLangChainTools(await open()).find((tool) => tool.name === "count")!;
    let attempts = 0;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        "work",
        async () => {
          attempts += 1;
          const message = await counter.invoke({
            type: "tool_call",
            id: "c1",
            name: "count",
            args: { by: 2 },
          });
          // With arguments alone a call is known by the execution of its node.
          const value = await counter.invoke({ by: 3 });
          expect([message, value]).toMatchObject([{ content: "2", status: "success" }, 3]);
          if (attempts < 3) throw new Error("the network is down");
          return { messages: [] };
        },
        { retryPolicy },
      )
      .addEdge(START, "work")
      .compile();
    await graph.invoke(ask);
    expect(attempts).toBe(3);
    expect(counted).toEqual([2, 3]);
    await graph.invoke(ask);
    expect(counted).toEqual([2, 3, 3]);
  });

  it("is told again and not made again where a ToolNode is tried again because of a neighbor that failed", async () => {
    const { open, counted } = langchainScene();
    let failures = 0;
    const flaky = langchainTool(
      () => {
        failures += 1;
        if (failures < 3) throw new Error("the network is down");
        return "up";
      },
      { name: "flaky", description: "Fails twice", schema: { type: "object", properties: {} } },
    );
    const model = writes([call("count", { by: 1 }, "c1"), call("flaky", {}, "c2")]);
    const tools = [...toLangChainTools(await open()), flaky];
    const result = await toolGraph(model, tools, new MemorySaver(), retryPolicy).invoke(ask, thread);
    expect(toolWordsOf(result)).toEqual([
      ["c1", "success", "1"],
      ["c2", "success", "up"],
    ]);
    expect(counted).toEqual([1]);
  });

  it("is told again and not made again from an earlier checkpoint", async () => {
    const { open, read } = langchainScene();
    const model = writes(readThenSend[0]).respond(new AIMessage("Done again."));
    const graph = toolGraph(model, toLangChainTools(await open()), new MemorySaver());
    const first = await graph.invoke(ask, thread);
    for await (const { config, next } of graph.getStateHistory(thread)) {
      if (next[0] !== "tools") continue;
      const second = await graph.invoke(null, config);
      expect(second.messages.at(-1)?.text).toBe("Done again.");
      expect(toolWordsOf(second)).toEqual(toolWordsOf(first));
    }
    expect(model.callCount).toBe(3);
    expect(read).toEqual(["a.example"]);
  });

  it("is another call where its arguments were edited, and asked about anew", async () => {
    const { open, sent, answer } = langchainScene();
    const graph = toolGraph(writes(...readThenSend), toLangChainTools(await open()), new MemorySaver());
    const [question] = questionsOf(await graph.invoke(ask, thread));
    await answer(question!.value.approvalId);
    const { id } = (await graph.getState(thread)).values.messages.at(-1)!;
    const edited = new AIMessage({
      content: "",
      tool_calls: [call("send_mail", { to: "eve" }, "c2")],
      ...(id && { id }),
    });
    await graph.updateState(thread, { messages: [edited] }, "model");
    const [asked] = questionsOf(await graph.invoke(null, thread));
    expect(asked?.value).toMatchObject({ input: { to: "eve" } });
    expect(asked?.value.approvalId).not.toBe(question!.value.approvalId);
    expect(sent).toEqual([]);
  });

  it("is made once where two agents go on with one session at the same time", async () => {
    const { open, sent, answer } = langchainScene();
    const checkpointer = new MemorySaver();
    const agentOf = async (...script: readonly (readonly WrittenCall[])[]) =>
      createAgent({ model: writes(...script), tools: toLangChainTools(await open()), checkpointer });
    const [question] = questionsOf(await (await agentOf(...readThenSend)).invoke(ask, thread));
    await answer(question!.value.approvalId);
    const agents = await Promise.all([agentOf(), agentOf()]);
    const results = await Promise.all(agents.map((agent) => agent.invoke(null, thread)));
    expect(sent).toEqual(["bob"]);
    for (const result of results) expect(toolWordsOf(result)[1]?.[2]).toBe('"sent to bob"');
  });

  it("stops with its graph, and the tool's signal is aborted", async () => {
    const { open, slow } = langchainScene();
    const controller = new AbortController();
    const agent = createAgent({
      model: writes([call("wait", {}, "c1")]),
      tools: toLangChainTools(await open()),
    });
    const stopped = agent.invoke(ask, { signal: controller.signal });
    await slow.started;
    controller.abort();
    await expect(stopped).rejects.toThrow();
    await slow.aborted;
  });

  it("is not even tried again by LangChain's own retries, since a failure is an answer", async () => {
    const { open, log } = langchainScene();
    const agent = createAgent({
      model: writes([call("breaks", {}, "c1")]),
      tools: toLangChainTools(await open()),
      middleware: [toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 })],
    });
    expect(toolWordsOf(await agent.invoke(ask))).toMatchObject([["c1", "error", expect.anything()]]);
    expect(await log()).toMatchObject([{ callId: "c1", attempts: [{ number: 1 }] }]);
  });

  it("goes on where it paused, in an agent that is a part of another graph", async () => {
    const { open, sent, read, answer } = langchainScene();
    const agent = createAgent({ model: writes(...readThenSend), tools: toLangChainTools(await open()) });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent.graph)
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    const [question] = questionsOf(await graph.invoke(ask, thread));
    await answer(question!.value.approvalId);
    const result = await graph.invoke(null, thread);
    expect(toolWordsOf(result)[1]?.[2]).toBe('"sent to bob"');
    expect([read, sent]).toEqual([["a.example"], ["bob"]]);
  });
});
