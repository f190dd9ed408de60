import {
  fromJsonSchema,
  McpServer,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import type { Changes } from "./changes.ts";
import { contentTools, headerSchema } from "./content-tools.ts";
import { inputTools } from "./input-tools.ts";
import { extraPrompt, prompts } from "./prompts.ts";
import { sealed } from "./questions.ts";
import { readResource, resources, templates } from "./resources.ts";
import { extraTool, talkingTools } from "./talking-tools.ts";
import { taskTools } from "./task-tools.ts";
import { cancelTask, getTask, refuseWithoutTasks, tasksExtension, updateTask } from "./tasks.ts";

const info = { name: "conformance-upstream", version: "1.0.0", title: "Conformance upstream" };
const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
  extensions: { [tasksExtension]: {} },
};

const taskParams: StandardSchemaV1<{ readonly taskId: string }> = {
  "~standard": {
    version: 1,
    vendor: "upstream",
    validate: (value) => {
      const { taskId } = (value ?? {}) as { taskId?: unknown };
      return typeof taskId === "string"
        ? { value: { taskId } }
        : { issues: [{ message: "taskId must be text" }] };
    },
  },
};

const missing = (kind: string, name: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${kind} ${name}.`);

const headerInput = fromJsonSchema(headerSchema);

/**
 * Server for both conformance suites. `announces` is true when a connection has to announce changes itself.
 */
export const upstream =
  (changes: Changes, announces: (context: Parameters<McpServerFactory>[0]) => boolean): McpServerFactory =>
  (context) => {
    const product = new McpServer(info, { capabilities, requestState: { verify: sealed.verify } });
    // The SDK compares headers with arguments only for its own tools.
    product.registerTool("test_custom_header", { inputSchema: headerInput }, () => ({ content: [] }));
    const { server } = product;
    const tools = [...contentTools, ...talkingTools(changes), ...inputTools, ...taskTools];
    const listedTools = () => (changes.extraTool() ? [...tools, extraTool] : tools);
    const listedPrompts = () => (changes.extraPrompt() ? [...prompts, extraPrompt] : prompts);

    server.setRequestHandler("tools/list", () => ({
      tools: listedTools().map(({ call: _, inputSchema, ...tool }) => ({
        ...tool,
        inputSchema: { type: "object" as const, ...inputSchema },
      })),
    }));
    server.setRequestHandler("tools/call", ({ params }, call) => {
      const tool = listedTools().find(({ name }) => name === params.name);
      if (tool === undefined) throw missing("tool", params.name);
      return tool.call(params.arguments ?? {}, call);
    });
    server.setRequestHandler("prompts/list", () => ({
      prompts: listedPrompts().map(({ get: _, arguments: named, ...prompt }) => ({
        ...prompt,
        ...(named && { arguments: [...named] }),
      })),
    }));
    server.setRequestHandler("prompts/get", ({ params }, call) => {
      const prompt = listedPrompts().find(({ name }) => name === params.name);
      if (prompt === undefined) throw missing("prompt", params.name);
      return prompt.get(params.arguments ?? {}, call);
    });
    server.setRequestHandler("resources/list", () => ({ resources }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templates }));
    server.setRequestHandler("resources/read", ({ params }) => readResource(params.uri));
    server.setRequestHandler("resources/subscribe", () => ({}));
    server.setRequestHandler("resources/unsubscribe", () => ({}));
    server.setRequestHandler("completion/complete", ({ params }) => {
      const values = ["paris", "park", "party", "test"].filter((word) =>
        word.startsWith(params.argument.value),
      );
      return { completion: { values, total: values.length, hasMore: false } };
    });
    if (context.era === "modern") {
      server.setRequestHandler("tasks/get", { params: taskParams }, ({ taskId }, call) => {
        refuseWithoutTasks(call);
        return getTask(taskId);
      });
      server.setRequestHandler("tasks/update", { params: taskParams }, ({ taskId }, call) => {
        refuseWithoutTasks(call);
        return updateTask(taskId, call.mcpReq.inputResponses ?? {});
      });
      server.setRequestHandler("tasks/cancel", { params: taskParams }, ({ taskId }, call) => {
        refuseWithoutTasks(call);
        return cancelTask(taskId);
      });
    }
    if (announces(context)) {
      const stop = changes.listen((kind) => {
        const reported = kind === "tools" ? server.sendToolListChanged() : server.sendPromptListChanged();
        reported.catch(() => undefined);
      });
      server.onclose = stop;
    }
    return product;
  };
