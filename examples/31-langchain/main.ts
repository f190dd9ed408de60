// Session tools in the loop of LangChain: a pending call pauses the graph, and LangGraph's checkpointer
// restores it after a kill.
import assert from "node:assert/strict";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "langchain";
import { startPostgres } from "../../test/system/kit/start-postgres.ts";
import { type Place, tell } from "../in-your-loop/story.ts";

/** A scripted model that replies by the conversation, in any process. */
const scripted = () => {
  const call = (id: string, name: string, args: Record<string, unknown>) =>
    new AIMessage({ content: "", tool_calls: [{ id, name, args }] });
  const next = (messages: BaseMessage[]) =>
    [
      call("call_1", "read_page", { url: "https://example.com" }),
      call("call_2", "send_mail", { to: "ada@example.com", text: "hello" }),
      new AIMessage(`The tool returned: ${messages.at(-1)?.text}`),
    ][messages.filter(AIMessage.isInstance).length]!;
  return fakeModel().respond(next).respond(next).respond(next);
};

//#region agent
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { haftMiddleware, type PausedCallRequest } from "haft/integrations/langchain";
import { createAgent } from "langchain";

const agentOf = async ({ haft }: Place) => {
  const checkpointer = PostgresSaver.fromConnString(process.env.DATABASE_URL!);
  await checkpointer.setup();
  const session = haft.session({ id: "letter-7" });
  return createAgent({ model: scripted(), middleware: [haftMiddleware(session)], checkpointer });
};
const thread = { configurable: { thread_id: "letter-7" } };
//#endregion

//#region begin
const begin = async (place: Place) => {
  const agent = await agentOf(place);
  const paused = await agent.invoke({ messages: "Read example.com, then write to Ada." }, thread);
  const question = paused.__interrupt__?.[0]?.value as PausedCallRequest;
  assert.equal(question.tool, "send_mail"); // with an approvalId for `haft approve`
};
//#endregion

//#region go-on
const goOn = async (place: Place) => {
  const agent = await agentOf(place);
  const { messages } = await agent.invoke(null, thread); // reads the ledger, and pauses again while the request is unanswered
  return messages.at(-1)!.text;
};
//#endregion

// The parent process has the database, which outlives the killed process.
const postgres = process.argv[2] === undefined ? await startPostgres() : undefined;
if (postgres !== undefined) process.env.DATABASE_URL = postgres.url;
try {
  await tell(import.meta.url, { begin, goOn });
} finally {
  await postgres?.stop();
}
console.log("LangChain: one mail, one group in the ledger");
