import { Haft, type Session, tool } from "haft";
import { haftModel, settleUIMessages, toAiSdkTools, toolApproval } from "haft/integrations/ai-sdk";
import { haftMiddleware, toLangChainTools } from "haft/integrations/langchain";
import { toMastraTools } from "haft/integrations/mastra";
import { toOpenAiAgentsTools } from "haft/integrations/openai-agents";
import { afterEach, describe, expect, it, vi } from "vitest";

const pay = tool({
  name: "pay",
  description: "Pays",
  input: { type: "object" },
  risk: "high",
  run: () => "paid",
});
const principal = { agent: "clerk", allow: ["*"] };
const integrations = {
  toAiSdkTools,
  toolApproval,
  toLangChainTools,
  haftMiddleware,
  toMastraTools,
  toOpenAiAgentsTools,
  haftModel: (session: Session) => haftModel(session, "acme/large" as never),
};

describe("the arguments of an integration", () => {
  it.each(Object.entries(integrations))(
    "%s refuses a runtime instead of a session",
    async (name, integrate) => {
      const haft = await Haft.open({ tools: [pay], principal });
      expect(() => integrate(haft as never)).toThrow(
        `${name} requires a session of the runtime. Pass a session: haft.session({ id }).`,
      );
    },
  );

  it("are refused with a suggestion if an option is misspelled", async () => {
    const session = (await Haft.open({ tools: [pay], principal })).session({ id: "s" });
    const misspelled = { answerdBy: "ada" } as never;
    expect(() => toAiSdkTools(session, misspelled)).toThrow('Did you mean "answeredBy"?');
    expect(() => haftMiddleware(session, misspelled)).toThrow("The options of haftMiddleware");
    await expect(settleUIMessages(session, [], misspelled)).rejects.toThrow("answeredBy");
  });
});

describe("an approval request of a framework's session", () => {
  const warnings = () => vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  afterEach(() => void vi.restoreAllMocks());

  it("causes one warning per runtime if it is only in memory", async () => {
    const warned = warnings();
    const haft = await Haft.open({ tools: [pay], principal });
    for (const id of ["one", "two"]) {
      const session = haft.session({ id });
      toAiSdkTools(session);
      await session.turn([{ id: "1", tool: "pay", input: {} }]);
      await session.asks({ id: "2", tool: "pay", input: {} });
    }
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining("haft approve cannot answer it"), "HaftWarning"],
    ]);
  });

  it("causes no warning with an approver, with a durable ledger, or in the application's own loop", async () => {
    const warned = warnings();
    for (const more of [{ approver: () => undefined }, { ledger: "sqlite::memory:" }, {}]) {
      const haft = await Haft.open({ tools: [pay], principal, ...more });
      const session = haft.session({ id: "s" });
      if (Object.keys(more).length > 0) toAiSdkTools(session);
      await session.turn([{ id: "1", tool: "pay", input: {} }]);
      await haft.close();
    }
    expect(warned.mock.calls).toEqual([]);
  });
});
