import { Command, MemorySaver } from "@langchain/langgraph";
import { toLangChainTools } from "haft/integrations/langchain";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import {
  interruptedApprovalFor,
  interruptedApprovals,
  langchainScene,
  mailRequest,
  readThenSendCalls,
  scriptedCallModel,
  sendTwoCalls,
  threadConfig,
  toolResultsOf,
  writtenCall,
} from "../../kit/langchain-scene.ts";

describe("session tools in createAgent", () => {
  it("run through the session, and the model reads the text of the reply", async () => {
    const { open, read, log } = langchainScene();
    const tools = toLangChainTools(await open());
    const agent = createAgent({ model: scriptedCallModel(readThenSendCalls[0]), tools });
    const result = await agent.invoke(mailRequest);
    expect(toolResultsOf(result)).toEqual([["c1", "success", '{"words":"Words of a.example"}']]);
    expect(read).toEqual(["a.example"]);
    expect(await log()).toMatchObject([
      { tool: "read_page", callId: "c1", session: "letters", ending: "executed" },
    ]);
  });

  it("pause with an interrupt for approval, and another process resumes after an approval in the ledger", async () => {
    const { open, sent, read, answer } = langchainScene();
    const checkpointer = new MemorySaver();
    const first = createAgent({
      model: scriptedCallModel(...readThenSendCalls),
      tools: toLangChainTools(await open()),
      checkpointer,
    });
    const paused = await first.invoke(mailRequest, threadConfig);
    expect(interruptedApprovals(paused)).toMatchObject([
      {
        value: {
          approvalId: expect.any(String),
          tool: "send_mail",
          input: { to: "bob" },
          reason: expect.stringContaining("read_page"),
        },
      },
    ]);
    expect(sent).toEqual([]);

    await answer(interruptedApprovals(paused)[0]!.value.approvalId);
    const second = createAgent({
      model: scriptedCallModel(),
      tools: toLangChainTools(await open()),
      checkpointer,
    });
    const result = await second.invoke(null, threadConfig);
    expect(toolResultsOf(result)[1]).toEqual(["c2", "success", "sent to bob"]);
    expect(sent).toEqual(["bob"]);
    expect(read).toEqual(["a.example"]);
  });

  it("pause again with the same request while it is unanswered", async () => {
    const { open, sent } = langchainScene();
    const checkpointer = new MemorySaver();
    const session = await open();
    const agent = createAgent({
      model: scriptedCallModel(...readThenSendCalls),
      tools: toLangChainTools(session),
      checkpointer,
    });
    const paused = await agent.invoke(mailRequest, threadConfig);
    const again = await agent.invoke(null, threadConfig);
    expect(interruptedApprovals(again)).toEqual(interruptedApprovals(paused));
    expect(await session.pending()).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it("return a denial of the ledger to the model", async () => {
    const { open, sent, answer } = langchainScene();
    const checkpointer = new MemorySaver();
    const agent = createAgent({
      model: scriptedCallModel(...readThenSendCalls),
      tools: toLangChainTools(await open()),
      checkpointer,
    });
    const paused = await agent.invoke(mailRequest, threadConfig);
    await answer(interruptedApprovals(paused)[0]!.value.approvalId, { kind: "deny", reason: "not to bob" });
    const result = await agent.invoke(null, threadConfig);
    expect(toolResultsOf(result)[1]).toEqual(["c2", "error", expect.stringContaining("not to bob")]);
    expect(sent).toEqual([]);
  });

  it("run each of several interrupted calls once, approved by resume or in the ledger", async () => {
    const { open, sent, counted, answer } = langchainScene();
    const checkpointer = new MemorySaver();
    const tools = toLangChainTools(await open(), { answeredBy: "ada" });
    const agent = createAgent({ model: scriptedCallModel(...sendTwoCalls), tools, checkpointer });
    const paused = await agent.invoke(mailRequest, threadConfig);
    const [bob, eve] = [interruptedApprovalFor(paused, "bob"), interruptedApprovalFor(paused, "eve")];
    expect(counted).toEqual([1]);

    const onlyEve = await agent.invoke(
      new Command({ resume: { [eve.id]: { approvalId: eve.value.approvalId, kind: "allow" } } }),
      threadConfig,
    );
    expect(sent).toEqual(["eve"]);
    expect(interruptedApprovals(onlyEve)).toEqual([bob]);

    await answer(bob.value.approvalId);
    const result = await agent.invoke(null, threadConfig);
    expect(sent).toEqual(["eve", "bob"]);
    expect(counted).toEqual([1]);
    expect(toolResultsOf(result).map(([id, status]) => [id, status])).toEqual([
      ["c1", "success"],
      ["c2", "success"],
      ["c3", "success"],
      ["c4", "success"],
    ]);
  });
});

describe("session tool", () => {
  it("fails with a tool message of status error", async () => {
    const { open } = langchainScene();
    const agent = createAgent({
      model: scriptedCallModel([writtenCall("breaks", {}, "c1")]),
      tools: toLangChainTools(await open()),
    });
    const result = await agent.invoke(mailRequest);
    expect(toolResultsOf(result)).toEqual([["c1", "error", expect.stringContaining("the disk is full")]]);
  });

  it("records arguments that LangChain would have rejected", async () => {
    const { open, counted, log } = langchainScene();
    const agent = createAgent({
      model: scriptedCallModel([writtenCall("count", { by: "many" }, "c1")]),
      tools: toLangChainTools(await open()),
    });
    const result = await agent.invoke(mailRequest);
    expect(toolResultsOf(result)).toEqual([["c1", "error", expect.stringContaining("by")]]);
    expect(counted).toEqual([]);
    expect(await log()).toMatchObject([{ callId: "c1", tool: "count", ending: "failed", ran: false }]);
  });

  it("streams its progress as tool events", async () => {
    const { open } = langchainScene();
    const agent = createAgent({
      model: scriptedCallModel(readThenSendCalls[0]),
      tools: toLangChainTools(await open()),
    });
    const events: unknown[] = [];
    for await (const event of await agent.stream(mailRequest, { streamMode: "tools" })) events.push(event);
    expect(events).toContainEqual(
      expect.objectContaining({
        event: "on_tool_event",
        name: "read_page",
        toolCallId: "c1",
        data: { read: 1 },
      }),
    );
  });

  it("has a schema that LangChain may modify", async () => {
    const { open } = langchainScene();
    const session = await open();
    const [first] = toLangChainTools(session);
    (first!.schema as Record<string, unknown>).title = "mine";
    expect(toLangChainTools(session)[0]!.schema).not.toHaveProperty("title");
  });

  it("returns its value or throws when it is called with arguments alone", async () => {
    const { open, sent } = langchainScene();
    const tools = toLangChainTools(await open());
    const read = tools.find((tool) => tool.name === "read_page")!;
    expect(await read.invoke({ url: "a.example" })).toEqual({ words: "Words of a.example" });
    const send = tools.find((tool) => tool.name === "send_mail")!;
    await expect(send.invoke({ to: "bob" })).rejects.toMatchObject({ code: "approval_required" });
    const call = { type: "tool_call", id: "c1", name: "send_mail", args: { to: "bob" } } as const;
    expect((await send.invoke(call)).text).toBe('The call of "send_mail" is pending approval.');
    expect(sent).toEqual([]);
  });
});
