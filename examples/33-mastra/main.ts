// Session tools in the loop of Mastra. Its durable state is Mastra's storage, here a libSQL file.
import { join } from "node:path";
//#region tools
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { LibSQLStore } from "@mastra/libsql";
import { toMastraTools } from "haft/integrations/mastra";
//#endregion
import { type Place, tell } from "../in-your-loop/story.ts";

type Model = Extract<
  ConstructorParameters<typeof Agent>[0]["model"],
  { readonly specificationVersion: "v3" }
>;

/** A scripted model that replies by the conversation, in any process. */
const model: Model = {
  specificationVersion: "v3",
  provider: "story",
  modelId: "story",
  supportedUrls: {},
  doGenerate: async ({ prompt }) => {
    const results = prompt.filter(({ role }) => role === "tool");
    const next = [
      call("read_page", { url: "example.com" }),
      call("send_mail", { to: "ada@example.com", text: "hello" }),
      { type: "text" as const, text: `The tool returned: ${JSON.stringify(results.at(-1)?.content)}` },
    ][results.length];
    const unified = next?.type === "tool-call" ? "tool-calls" : "stop";
    const content = next === undefined ? [] : [next];
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  },
  doStream: () => {
    throw new Error("The story does not stream.");
  },
};
const call = (toolName: string, input: object) => ({
  type: "tool-call" as const,
  toolCallId: `call-${toolName}`,
  toolName,
  input: JSON.stringify(input),
});
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

//#region session
const open = ({ haft, folder }: Place) => {
  const tools = toMastraTools(haft.session({ id: "letter-7" }));
  const clerk = new Agent({ id: "clerk", name: "Clerk", instructions: "Be helpful.", model, tools });
  const storage = new LibSQLStore({ id: "state", url: `file:${join(folder, "mastra.db")}` });
  return new Mastra({ agents: { clerk }, storage, logger: false }).getAgent("clerk");
};
//#endregion

await tell(import.meta.url, {
  begin: async (place) => {
    const agent = open(place);
    //#region pause
    const { finishReason, suspendPayload } = await agent.generate("Read example.com, then write to Ada.");
    if (finishReason === "suspended") {
      const { approvalId, reason, tool } = suspendPayload.suspendPayload;
      console.log(`${tool} waits: ${reason} haft approve ${approvalId}`);
    }
    //#endregion
  },
  goOn: async (place) => {
    const agent = open(place);
    let said = "";
    //#region go-on
    const { runs } = await agent.listSuspendedRuns();
    for (const { runId, toolCalls } of runs) {
      for (const { toolCallId } of toolCalls) {
        const { text } = await agent.resumeGenerate({}, { runId, toolCallId });
        said += text;
      }
    }
    //#endregion
    return said;
  },
});
console.log("Mastra: one mail, one group in the ledger");
