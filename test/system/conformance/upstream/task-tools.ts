import {
  acceptedContent,
  type InputRequests,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import { pause, strings, type ToolFixture, text } from "./fixture.ts";
import { askFor, askToConfirm } from "./questions.ts";
import { hasTasks, refuseWithoutTasks, startTask } from "./tasks.ts";

/** Requests input as a task, or by rounds of the call for clients without tasks. */
const askingTool = (
  tool: Pick<ToolFixture, "name" | "description" | "inputSchema">,
  requests: InputRequests,
  say: (answers: Readonly<Record<string, unknown>>) => string,
): ToolFixture => ({
  ...tool,
  execution: { taskSupport: "optional" },
  call: (_, context) => {
    if (hasTasks(context)) return startTask(async ({ ask }) => text(say(await ask(requests))));
    const given = context.mcpReq.inputResponses ?? {};
    const open = Object.keys(requests).filter((key) => inputResponse(given, key).kind === "missing");
    return open.length > 0 ? inputRequired({ inputRequests: requests }) : text(say(given));
  },
});

export const taskTools: readonly ToolFixture[] = [
  {
    name: "slow_compute",
    description: "Works for some seconds.",
    inputSchema: {
      type: "object",
      properties: { seconds: { type: "number" }, label: { type: "string" } },
      required: ["seconds"],
    },
    execution: { taskSupport: "optional" },
    call: async ({ seconds, label }, context) => {
      const compute = async (signal: AbortSignal) => {
        await pause(Number(seconds) * 1000, signal);
        return text(`${label ?? "It"} took ${seconds} s.`);
      };
      if (hasTasks(context) && Number(seconds) > 0) return startTask(({ signal }) => compute(signal));
      return compute(context.mcpReq.signal);
    },
  },
  {
    name: "failing_job",
    description: "Works for a second and fails.",
    execution: { taskSupport: "required" },
    call: (_, context) => {
      refuseWithoutTasks(context);
      return startTask(async ({ signal }) => {
        await pause(1000, signal);
        return { ...text("The job failed."), isError: true };
      });
    },
  },
  {
    name: "protocol_error_job",
    description: "Breaks down while it works.",
    execution: { taskSupport: "required" },
    call: (_, context) => {
      refuseWithoutTasks(context);
      return startTask(async ({ signal }) => {
        await pause(100, signal);
        throw new Error("The job broke down.");
      });
    },
  },
  askingTool(
    {
      name: "confirm_delete",
      description: "Deletes nothing, but asks first.",
      inputSchema: { type: "object", properties: { filename: { type: "string" } } },
    },
    { confirm: askToConfirm("Really delete it?", "confirm") },
    (answers) => (acceptedContent(answers, "confirm")?.confirm === true ? "Deleted." : "Kept."),
  ),
  askingTool(
    { name: "multi_input", description: "Asks two things at once." },
    { first: askFor("The first name?", "name"), second: askFor("The second name?", "name") },
    (answers) => `${acceptedContent(answers, "first")?.name}, ${acceptedContent(answers, "second")?.name}`,
  ),
  {
    name: "test_tool_with_task",
    description: "Asks for a name, then continues as a task.",
    inputSchema: { ...strings(), required: [] },
    execution: { taskSupport: "required" },
    call: (_, context) => {
      const given = acceptedContent(context.mcpReq.inputResponses, "user_name");
      if (given === undefined)
        return inputRequired({ inputRequests: { user_name: askFor("What is your name?", "name") } });
      refuseWithoutTasks(context);
      return startTask(async ({ signal }) => {
        await pause(100, signal);
        return text(`Hello, ${given.name}!`);
      });
    },
  },
];
