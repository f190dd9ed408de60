import { Command, MemorySaver } from "@langchain/langgraph";
import { Haft, tool } from "haft";
import { type PausedCallAnswer, toLangChainTools } from "haft/integrations/langchain";
import { codeMode } from "haft/sandbox";
import { createAgent } from "langchain";
import { describe, expect, it, onTestFinished } from "vitest";
import { newSessionLedger } from "../../../kit/session-scene.ts";
import {
  interruptedApprovals,
  langchainScene,
  mailRequest,
  readThenSendCalls,
  scriptedCallModel,
  threadConfig,
  toolResultsOf,
  writtenCall,
} from "../../kit/langchain-scene.ts";

describe("answer in a resume command", () => {
  const paused = async (answeredBy?: string) => {
    const scene = langchainScene();
    const session = await scene.open();
    const tools = toLangChainTools(session, answeredBy === undefined ? {} : { answeredBy });
    const agent = createAgent({
      model: scriptedCallModel(...readThenSendCalls),
      tools,
      checkpointer: new MemorySaver(),
    });
    const [question] = interruptedApprovals(await agent.invoke(mailRequest, threadConfig));
    const resume = (value: unknown) => agent.invoke(new Command({ resume: value }), threadConfig);
    return { ...scene, session, question, approvalId: question!.value.approvalId, resume };
  };

  it("is recorded under answeredBy, and the call runs", async () => {
    const { approvalId, approvals, resume, sent } = await paused("the form on our page");
    const result = await resume({ approvalId, kind: "allow" });
    expect(toolResultsOf(result)[1]).toEqual(["c2", "success", "sent to bob"]);
    expect(sent).toEqual(["bob"]);
    expect(await approvals()).toMatchObject([
      { id: approvalId, answeredBy: "the form on our page", status: "used" },
    ]);
  });

  it("is recorded as a denial", async () => {
    const { approvalId, resume, sent, log } = await paused("ada");
    const result = await resume({ approvalId, kind: "deny", reason: "never to bob" });
    expect(toolResultsOf(result)[1]).toEqual(["c2", "error", expect.stringContaining("never to bob")]);
    expect(sent).toEqual([]);
    expect(await log()).toContainEqual(expect.objectContaining({ callId: "c2", code: "approval_denied" }));
  });

  it("may edit the arguments, which are validated", async () => {
    const { approvalId, resume, sent } = await paused("ada");
    await resume({ approvalId, kind: "edit", input: { to: "carol" } });
    expect(sent).toEqual(["carol"]);
  });

  it("is ignored without answeredBy", async () => {
    const { approvalId, question, resume, sent, session } = await paused();
    expect(interruptedApprovals(await resume({ approvalId, kind: "allow" }))).toEqual([question]);
    expect(interruptedApprovals(await resume(true))).toEqual([question]);
    expect(sent).toEqual([]);
    expect(await session.pending()).toMatchObject([{ id: approvalId, status: "waiting" }]);
  });

  it("is ignored when it names no request, another request or no decision", async () => {
    const { approvalId, question, resume, sent } = await paused("ada");
    for (const forged of [
      true,
      "yes",
      { kind: "allow" },
      { approvalId: "made-up", kind: "allow" },
      { approvalId },
      { approvalId, kind: "yes" },
    ]) {
      expect(interruptedApprovals(await resume(forged))).toEqual([question]);
    }
    expect(sent).toEqual([]);
    await resume({ approvalId, kind: "allow" });
    expect(sent).toEqual(["bob"]);
  });

  it("approves a nested call of a suspended program, which then continues", async () => {
    const paid: number[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays an amount",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      requiresApproval: true,
      run: ({ n }) => {
        paid.push(n);
        return { pay: n };
      },
    });
    const haft = await Haft.open({
      tools: [pay, codeMode()],
      ledger: newSessionLedger(),
      principal: { agent: "tester", allow: ["*"] },
    });
    onTestFinished(() => haft.close());
    const tools = toLangChainTools(haft.session({ id: "code" }), { answeredBy: "ada" });
    const model = scriptedCallModel([
      writtenCall("run-code", { source: "return tools.pay({ n: 3 })" }, "c1"),
    ]);
    const agent = createAgent({ model, tools, checkpointer: new MemorySaver() });
    const [question] = interruptedApprovals(await agent.invoke(mailRequest, threadConfig));
    const { approvalId } = question!.value;
    expect(paid).toEqual([]);
    const resume: PausedCallAnswer = { approvalId, kind: "allow" };
    const result = await agent.invoke(new Command({ resume }), threadConfig);
    expect(interruptedApprovals(result)).toEqual([]);
    expect(paid).toEqual([3]);
  });
});
