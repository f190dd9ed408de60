// Session tools in the loop of the OpenAI Agents SDK. Its durable state is a serialized RunState.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
//#region tools
import { Agent, type Model, type ModelResponse, Runner, RunState, Usage } from "@openai/agents";
import { settleRunState, toOpenAiAgentsTools } from "haft/integrations/openai-agents";
//#endregion
import { type Place, tell } from "../in-your-loop/story.ts";

/** A scripted model that replies by the conversation, in any process. */
const model: Model = {
  getResponse: async ({ input }) => {
    const results =
      typeof input === "string" ? [] : input.filter(({ type }) => type === "function_call_result");
    const next = [
      call("read_page", { url: "example.com" }),
      call("send_mail", { to: "ada@example.com", text: "hello" }),
      says(`The tool returned: ${JSON.stringify(results.at(-1))}`),
    ][results.length];
    return { usage: new Usage(), output: next === undefined ? [] : [next] };
  },
  getStreamedResponse: () => {
    throw new Error("The story does not stream.");
  },
};

type Item = ModelResponse["output"][number];
const call = (name: string, input: object): Item => ({
  type: "function_call",
  callId: `call-${name}`,
  name,
  arguments: JSON.stringify(input),
  status: "completed",
});
const says = (text: string): Item => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

const runner = new Runner({ tracingDisabled: true });

//#region session
const open = ({ haft }: Place) => {
  const session = haft.session({ id: "letter-7" });
  return { session, agent: new Agent({ name: "clerk", model, tools: toOpenAiAgentsTools(session) }) };
};
//#endregion

await tell(import.meta.url, {
  begin: async (place) => {
    const { session, agent } = open(place);
    //#region pause
    const { state } = await runner.run(agent, "Read example.com, then write to Ada.");
    for (const { approvalId, tool, reason } of await settleRunState(session, state)) {
      console.log(`${tool} waits: ${reason} haft approve ${approvalId}`);
    }
    writeFileSync(join(place.folder, "state.json"), state.toString());
    //#endregion
  },
  goOn: async (place) => {
    const { session, agent } = open(place);
    //#region go-on
    const state = await RunState.fromString(agent, readFileSync(join(place.folder, "state.json"), "utf8"));
    await settleRunState(session, state); // applies answers given meanwhile
    const { finalOutput } = await runner.run(agent, state);
    //#endregion
    return finalOutput ?? "";
  },
});
console.log("OpenAI Agents: one mail, one group in the ledger");
