import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toLangChainTools } from "haft/bridges/langchain";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../../kit/wait-for.ts";
import {
  ask,
  langchainScene,
  questionsOf,
  readThenSend,
  sendTwo,
  thread,
  toolGraph,
  toolWordsOf,
  writes,
} from "../../kit/langchain-scene.ts";

/** A ToolNode pauses for one call while another still runs, so tests wait until the ledger has its end. */
const sentMail = expect.objectContaining({ tool: "send_mail", ending: "executed" });

describe("a session's tools in a ToolNode, which runs all calls of a message in one node", () => {
  it("are made once each, though the node starts over with every resume", async () => {
    const { open, sent, read, counted, answer, log } = langchainScene();
    const graph = toolGraph(writes(...sendTwo), toLangChainTools(await open()), new MemorySaver());
    // A ToolNode reports one of the two requests at a time.
    const [first] = questionsOf(await graph.invoke(ask, thread));
    await answer(first!.value.approvalId);
    const [second] = questionsOf(await graph.invoke(null, thread));
    await waitFor(async () => expect(await log()).toContainEqual(sentMail));
    expect(sent).toHaveLength(1);
    await answer(second!.value.approvalId);
    const result = await graph.invoke(null, thread);
    expect(sent.toSorted()).toEqual(["bob", "eve"]);
    expect([read, counted]).toEqual([["a.example"], [1]]);
    expect(toolWordsOf(result).map(([, status]) => status)).toEqual([
      "success",
      "success",
      "success",
      "success",
    ]);
  });

  it("take a yes for the call it names and no other, in whichever order LangGraph deals the values out", async () => {
    const { open, sent, counted, log } = langchainScene();
    const session = await open();
    const graph = toolGraph(
      writes(...sendTwo),
      toLangChainTools(session, { answeredBy: "ada" }),
      new MemorySaver(),
    );
    await graph.invoke(ask, thread);
    const pending = await session.pending();
    const idOf = (to: string) => pending.find(({ input }) => (input as { to: string }).to === to)!.id;

    await graph.invoke(new Command({ resume: { approvalId: idOf("eve"), kind: "allow" } }), thread);
    await waitFor(async () => expect(await log()).toContainEqual(sentMail));
    expect(sent).toEqual(["eve"]);
    const result = await graph.invoke(
      new Command({ resume: { approvalId: idOf("bob"), kind: "deny" } }),
      thread,
    );
    expect(sent).toEqual(["eve"]);
    expect(counted).toEqual([1]);
    expect(toolWordsOf(result).map(([id, status]) => [id, status])).toEqual([
      ["c1", "success"],
      ["c2", "error"],
      ["c3", "success"],
      ["c4", "success"],
    ]);
  });

  it("take several answers with one resume", async () => {
    const { open, sent } = langchainScene();
    const session = await open();
    const graph = toolGraph(
      writes(...sendTwo),
      toLangChainTools(session, { answeredBy: "ada" }),
      new MemorySaver(),
    );
    await graph.invoke(ask, thread);
    const resume = (await session.pending()).map(({ id: approvalId }) => ({ approvalId, kind: "allow" }));
    const result = await graph.invoke(new Command({ resume }), thread);
    expect(questionsOf(result)).toEqual([]);
    expect(sent.toSorted()).toEqual(["bob", "eve"]);
  });

  it("tell the model in a sentence that the call waits where the graph has no checkpointer to pause with", async () => {
    const { open, sent } = langchainScene();
    const session = await open();
    const result = await toolGraph(writes(...readThenSend), toLangChainTools(session)).invoke(ask);
    const [, waits] = toolWordsOf(result);
    expect(waits).toEqual(["c2", "error", expect.stringContaining("no checkpointer")]);
    expect(await session.pending()).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it("pause a node of one's own, and go on in it, also where the graph names its interrupts", async () => {
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
    const [question] = questionsOf(await graph.invoke(ask, thread));
    expect(question?.value).toMatchObject({ tool: "send_mail", input: { to: "bob" } });
    await answer(question!.value.approvalId);
    await graph.invoke(null, thread);
    expect([pages, sent]).toEqual([["a.example"], ["bob"]]);
  });
});
