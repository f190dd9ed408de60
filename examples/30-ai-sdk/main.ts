// Session tools in the loop of the AI SDK: a pending mail survives the end of its process.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
//#region tools
import { generateText, isStepCount, type ModelMessage } from "ai";
//#endregion
import { MockLanguageModelV4 } from "ai/test";
//#region tools
import { settleApprovals, toAiSdkTools } from "haft/integrations/ai-sdk";
//#endregion
import { type Place, tell } from "../in-your-loop/story.ts";

const call = (toolName: string, input: object) => ({
  content: [
    { type: "tool-call" as const, toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) },
  ],
  finishReason: { unified: "tool-calls" as const, raw: undefined },
});

/** A scripted model that replies by the conversation. */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const said = prompt.filter(({ role }) => role === "assistant").length;
    const { content, finishReason } = [
      call("read_page", { url: "https://example.com" }),
      call("send_mail", { to: "ada@example.com", text: "hello" }),
    ][said] ?? {
      content: [
        {
          type: "text" as const,
          text: JSON.stringify(prompt.at(-1)).includes("sent") ? "It was sent." : "It was not.",
        },
      ],
      finishReason: { unified: "stop" as const, raw: undefined },
    };
    const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
    const outputTokens = { total: 1, text: 1, reasoning: 0 };
    return { content, finishReason, usage: { inputTokens, outputTokens }, warnings: [] };
  },
});

/** One turn of the conversation, which is stored in a file. */
const generateReply = async ({ haft, folder }: Place, kept: ModelMessage[]): Promise<string> => {
  //#region tools
  const session = haft.session({ id: "letter-7" });
  const { messages, waiting } = await settleApprovals(session, kept);
  if (waiting.length > 0) return `Waits for \`haft approve ${waiting[0]?.approvalId}\`.`;

  const tools = toAiSdkTools(session);
  const { text, responseMessages } = await generateText({ model, tools, messages, stopWhen: isStepCount(9) });
  //#endregion
  writeFileSync(join(folder, "messages.json"), JSON.stringify([...messages, ...responseMessages]));
  return text;
};

await tell(import.meta.url, {
  begin: async (place) => {
    await generateReply(place, [{ role: "user", content: "Read example.com and write to Ada." }]);
  },
  goOn: (place) =>
    generateReply(place, JSON.parse(readFileSync(join(place.folder, "messages.json"), "utf8"))),
});
