import { AIMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toLangChainTools } from "haft/integrations/langchain";
import { createAgent, tool as langchainTool, toolRetryMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import {
  interruptedApprovals,
  langchainScene,
  mailRequest,
  readThenSendCalls,
  scriptedCallModel,
  threadConfig,
  toolGraph,
  toolResultsOf,
  type WrittenCall,
  writtenCall,
} from "../../kit/langchain-scene.ts";

const retryPolicy = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };

describe("call in a repeated graph", () => {
  it("is replayed when a custom node is retried", async () => {
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
          // A call with arguments alone is identified by the execution of its node.
          const value = await counter.invoke({ by: 3 });
          expect([message, value]).toMatchObject([{ content: "2", status: "success" }, 3]);
          if (attempts < 3) throw new Error("the network is down");
          return { messages: [] };
        },
        { retryPolicy },
      )
      .addEdge(START, "work")
      .compile();
    await graph.invoke(mailRequest);
    expect(attempts).toBe(3);
    expect(counted).toEqual([2, 3]);
    await graph.invoke(mailRequest);
    expect(counted).toEqual([2, 3, 3]);
  });

  it("is replayed when its ToolNode is retried because another tool failed", async () => {
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
    const model = scriptedCallModel([writtenCall("count", { by: 1 }, "c1"), writtenCall("flaky", {}, "c2")]);
    const tools = [...toLangChainTools(await open()), flaky];
    const result = await toolGraph(model, tools, new MemorySaver(), retryPolicy).invoke(
      mailRequest,
      threadConfig,
    );
    expect(toolResultsOf(result)).toEqual([
      ["c1", "success", "1"],
      ["c2", "success", "up"],
    ]);
    expect(counted).toEqual([1]);
  });

  it("is replayed from an earlier checkpoint", async () => {
    const { open, read } = langchainScene();
    const model = scriptedCallModel(readThenSendCalls[0]).respond(new AIMessage("Done again."));
    const graph = toolGraph(model, toLangChainTools(await open()), new MemorySaver());
    const first = await graph.invoke(mailRequest, threadConfig);
    for await (const { config, next } of graph.getStateHistory(threadConfig)) {
      if (next[0] !== "tools") continue;
      const second = await graph.invoke(null, config);
      expect(second.messages.at(-1)?.text).toBe("Done again.");
      expect(toolResultsOf(second)).toEqual(toolResultsOf(first));
    }
    expect(model.callCount).toBe(3);
    expect(read).toEqual(["a.example"]);
  });

  it("is a new call with a new approval request after its arguments were edited", async () => {
    const { open, sent, answer } = langchainScene();
    const graph = toolGraph(
      scriptedCallModel(...readThenSendCalls),
      toLangChainTools(await open()),
      new MemorySaver(),
    );
    const [question] = interruptedApprovals(await graph.invoke(mailRequest, threadConfig));
    await answer(question!.value.approvalId);
    const { id } = (await graph.getState(threadConfig)).values.messages.at(-1)!;
    const edited = new AIMessage({
      content: "",
      tool_calls: [writtenCall("send_mail", { to: "eve" }, "c2")],
      ...(id && { id }),
    });
    await graph.updateState(threadConfig, { messages: [edited] }, "model");
    const [asked] = interruptedApprovals(await graph.invoke(null, threadConfig));
    expect(asked?.value).toMatchObject({ input: { to: "eve" } });
    expect(asked?.value.approvalId).not.toBe(question!.value.approvalId);
    expect(sent).toEqual([]);
  });

  it("runs once when two agents resume one session at the same time", async () => {
    const { open, sent, answer } = langchainScene();
    const checkpointer = new MemorySaver();
    const agentOf = async (...script: readonly (readonly WrittenCall[])[]) =>
      createAgent({
        model: scriptedCallModel(...script),
        tools: toLangChainTools(await open()),
        checkpointer,
      });
    const [question] = interruptedApprovals(
      await (await agentOf(...readThenSendCalls)).invoke(mailRequest, threadConfig),
    );
    await answer(question!.value.approvalId);
    const agents = await Promise.all([agentOf(), agentOf()]);
    const results = await Promise.all(agents.map((agent) => agent.invoke(null, threadConfig)));
    expect(sent).toEqual(["bob"]);
    for (const result of results) expect(toolResultsOf(result)[1]?.[2]).toBe("sent to bob");
  });

  it("stops with its graph, and its abort signal fires", async () => {
    const { open, slow } = langchainScene();
    const controller = new AbortController();
    const agent = createAgent({
      model: scriptedCallModel([writtenCall("wait", {}, "c1")]),
      tools: toLangChainTools(await open()),
    });
    const stopped = agent.invoke(mailRequest, { signal: controller.signal });
    await slow.started;
    controller.abort();
    await expect(stopped).rejects.toThrow();
    await slow.aborted;
  });

  it("is not repeated by the retry middleware of LangChain", async () => {
    const { open, log } = langchainScene();
    const agent = createAgent({
      model: scriptedCallModel([writtenCall("breaks", {}, "c1")]),
      tools: toLangChainTools(await open()),
      middleware: [toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 })],
    });
    expect(toolResultsOf(await agent.invoke(mailRequest))).toMatchObject([
      ["c1", "error", expect.anything()],
    ]);
    expect(await log()).toMatchObject([{ callId: "c1", attempts: [{ number: 1 }] }]);
  });

  it("resumes in an agent nested in another graph", async () => {
    const { open, sent, read, answer } = langchainScene();
    const agent = createAgent({
      model: scriptedCallModel(...readThenSendCalls),
      tools: toLangChainTools(await open()),
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent.graph)
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    const [question] = interruptedApprovals(await graph.invoke(mailRequest, threadConfig));
    await answer(question!.value.approvalId);
    const result = await graph.invoke(null, threadConfig);
    expect(toolResultsOf(result)[1]?.[2]).toBe("sent to bob");
    expect([read, sent]).toEqual([["a.example"], ["bob"]]);
  });
});
