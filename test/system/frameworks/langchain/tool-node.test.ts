import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { Haft, tool } from "haft";
import { toLangChainTools } from "haft/integrations/langchain";
import { describe, expect, it, onTestFinished } from "vitest";
import { newSessionLedger } from "../../../kit/session-scene.ts";
import { waitFor } from "../../../kit/wait-for.ts";
import {
  interruptedApprovals,
  langchainScene,
  mailRequest,
  readThenSendCalls,
  scriptedCallModel,
  sendTwoCalls,
  threadConfig,
  toolGraph,
  toolResultsOf,
  writtenCall,
} from "../../kit/langchain-scene.ts";

describe("session tools in a ToolNode", () => {
  it("run once each, although the node restarts at every resume", async () => {
    const { open, sent, read, counted, answer } = langchainScene();
    const graph = toolGraph(
      scriptedCallModel(...sendTwoCalls),
      toLangChainTools(await open()),
      new MemorySaver(),
    );
    // A ToolNode reports one of the two requests at a time.
    const [first] = interruptedApprovals(await graph.invoke(mailRequest, threadConfig));
    await answer(first!.value.approvalId);
    const [second] = interruptedApprovals(await graph.invoke(null, threadConfig));
    expect(sent.length).toBeLessThan(2);
    await answer(second!.value.approvalId);
    const result = await graph.invoke(null, threadConfig);
    expect(sent.toSorted()).toEqual(["bob", "eve"]);
    expect([read, counted]).toEqual([["a.example"], [1]]);
    expect(toolResultsOf(result).map(([, status]) => status)).toEqual([
      "success",
      "success",
      "success",
      "success",
    ]);
  });

  it("apply an approval only to the call it names, in any order of interrupts", async () => {
    const { open, sent, counted } = langchainScene();
    const session = await open();
    const graph = toolGraph(
      scriptedCallModel(...sendTwoCalls),
      toLangChainTools(session, { answeredBy: "ada" }),
      new MemorySaver(),
    );
    await graph.invoke(mailRequest, threadConfig);
    const pending = await session.pending();
    const idOf = (to: string) => pending.find(({ input }) => (input as { to: string }).to === to)!.id;

    await graph.invoke(new Command({ resume: { approvalId: idOf("eve"), kind: "allow" } }), threadConfig);
    const result = await graph.invoke(
      new Command({ resume: { approvalId: idOf("bob"), kind: "deny" } }),
      threadConfig,
    );
    expect(sent).toEqual(["eve"]);
    expect(counted).toEqual([1]);
    expect(toolResultsOf(result).map(([id, status]) => [id, status])).toEqual([
      ["c1", "success"],
      ["c2", "error"],
      ["c3", "success"],
      ["c4", "success"],
    ]);
  });

  it("return the result of a call that still runs when the graph is resumed", async () => {
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const paid: string[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays a person",
      input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      requiresApproval: true,
      run: async ({ to }) => {
        paid.push(to);
        started.resolve();
        await released.promise;
        return `paid ${to}`;
      },
    });
    const haft = await Haft.open({
      tools: [pay],
      ledger: newSessionLedger(),
      principal: { agent: "clerk", allow: ["*"] },
    });
    onTestFinished(() => haft.close());
    const session = haft.session({ id: "payments" });
    const model = scriptedCallModel([
      writtenCall("pay", { to: "bob" }, "c1"),
      writtenCall("pay", { to: "eve" }, "c2"),
    ]);
    const graph = toolGraph(model, toLangChainTools(session, { answeredBy: "ada" }), new MemorySaver());
    await graph.invoke(mailRequest, threadConfig);
    const pending = await waitFor(async () => {
      const all = await session.pending();
      expect(all).toHaveLength(2);
      return all;
    });
    const resume = (callId: string, kind: "allow" | "deny") => {
      const { id: approvalId } = pending.find((each) => each.callId === callId)!;
      return graph.invoke(new Command({ resume: { approvalId, kind } }), threadConfig);
    };

    // Pauses for the other call while this one runs.
    await resume("c2", "allow");
    await started.promise;
    const resumed = resume("c1", "deny");
    // The resumed node requests both calls at once: when the denial is recorded, it waits for the running call.
    await waitFor(async () => expect(await session.pending()).toEqual([]));
    released.resolve();
    const [denied, replayed] = toolResultsOf(await resumed);
    expect(denied).toEqual(["c1", "error", expect.any(String)]);
    expect(replayed).toEqual(["c2", "success", "paid eve"]);
    expect(paid).toEqual(["eve"]);
  });

  it("apply several answers of one resume", async () => {
    const { open, sent } = langchainScene();
    const session = await open();
    const graph = toolGraph(
      scriptedCallModel(...sendTwoCalls),
      toLangChainTools(session, { answeredBy: "ada" }),
      new MemorySaver(),
    );
    await graph.invoke(mailRequest, threadConfig);
    const resume = (await session.pending()).map(({ id: approvalId }) => ({ approvalId, kind: "allow" }));
    const result = await graph.invoke(new Command({ resume }), threadConfig);
    expect(interruptedApprovals(result)).toEqual([]);
    expect(sent.toSorted()).toEqual(["bob", "eve"]);
  });

  it("report a pending call to the model when the graph has no checkpointer", async () => {
    const { open, sent } = langchainScene();
    const session = await open();
    const result = await toolGraph(scriptedCallModel(...readThenSendCalls), toLangChainTools(session)).invoke(
      mailRequest,
    );
    const [, waits] = toolResultsOf(result);
    expect(waits).toEqual(["c2", "error", expect.stringContaining("no checkpointer")]);
    expect(await session.pending()).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it("pause and resume a custom node, also in a graph with named interrupts", async () => {
    const { open, sent, read: pages, answer } = langchainScene();
    const send = toLangChainTools(await open()).find((tool) => tool.name === "send_mail")!;
    const read = toLangChainTools(await open()).find((tool) => tool.name === "read_page")!;
    const graph = new StateGraph(MessagesAnnotation, { interrupt: { approve: interrupt<string, boolean> } })
      .addNode("send", async (_, config) => {
        await read.invoke({ url: "a.example" }, config);
        await send.invoke({ to: "bob" }, config);
        return {};
      })
      .addEdge(START, "send")
      .compile({ checkpointer: new MemorySaver() });
    const [question] = interruptedApprovals(await graph.invoke(mailRequest, threadConfig));
    expect(question?.value).toMatchObject({ tool: "send_mail", input: { to: "bob" } });
    await answer(question!.value.approvalId);
    await graph.invoke(null, threadConfig);
    expect([pages, sent]).toEqual([["a.example"], ["bob"]]);
  });
});
