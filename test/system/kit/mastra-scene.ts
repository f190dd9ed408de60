import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { LibSQLStore } from "@mastra/libsql";
import type { Session } from "haft";
import { type IntegrationOptions, toMastraTools } from "haft/integrations/mastra";
import { afterAll } from "vitest";

type Model = Extract<
  ConstructorParameters<typeof Agent>[0]["model"],
  { readonly specificationVersion: "v3" }
>;
type Prompt = Parameters<Model["doGenerate"]>[0]["prompt"];
type Content = Extract<Awaited<ReturnType<Model["doGenerate"]>>, { readonly content: unknown }>["content"];
type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer One> ? One : never;

export const mastraCall = (toolCallId: string, toolName: string, input: unknown): Content[number] => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: typeof input === "string" ? input : JSON.stringify(input),
});
export const mastraReadPageCall = (id = "r1") => mastraCall(id, "read_page", { url: "a.example" });
export const mastraSendMailCall = (id = "s1", to = "bob") => mastraCall(id, "send_mail", { to });

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/**
 * A model with scripted messages: it sends the first one whose calls have no results yet, and ends with
 * "Done."
 */
export const scriptedMastraModel = (
  provider: string,
  ...messages: Content[]
): { readonly model: Model; readonly reported: ToldResults } => {
  const reported: ToldResults = {};
  const next = (prompt: Prompt): Content => {
    for (const { role, content } of prompt) {
      if (role !== "tool") continue;
      for (const part of content) if (part.type === "tool-result") reported[part.toolCallId] = part.output;
    }
    const isOpen = (content: Content) =>
      content.some((part) => part.type === "tool-call" && !reported[part.toolCallId]);
    return messages.find(isOpen) ?? [{ type: "text", text: "Done." }];
  };
  const finish = (content: Content) => ({
    usage,
    finishReason: {
      unified: content[0]?.type === "text" ? ("stop" as const) : ("tool-calls" as const),
      raw: undefined,
    },
  });
  const model: Model = {
    specificationVersion: "v3",
    provider,
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const content = next(prompt);
      return { content, warnings: [], ...finish(content) };
    },
    doStream: async ({ prompt }) => {
      const content = next(prompt);
      const parts: Part[] = content.flatMap((part): Part[] =>
        part.type === "text"
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" },
            ]
          : part.type === "tool-call"
            ? [part]
            : [],
      );
      return {
        stream: ReadableStream.from<Part>([
          { type: "stream-start", warnings: [] },
          ...parts,
          { type: "finish", ...finish(content) },
        ]),
      };
    },
  };
  return { model, reported };
};

/** What the model received for each call. */
export type ToldResults = Record<string, unknown>;

export interface MastraSceneOptions extends IntegrationOptions {
  /** For some providers Mastra rewrites schemas and arguments. */
  readonly provider?: string;
}

/** Files for Mastra's storage; opening one again acts as another process. */
export const createMastraScenes = () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-mastra-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let made = 0;
  return () => {
    const file = join(folder, `${++made}.db`);
    const open = (
      session: Session,
      { provider = "scripted", ...options }: MastraSceneOptions,
      ...messages: Content[]
    ) => {
      const { model, reported } = scriptedMastraModel(provider, ...messages);
      const desk = new Agent({
        id: "desk",
        name: "desk",
        instructions: "",
        model,
        tools: toMastraTools(session, options),
      });
      const storage = new LibSQLStore({ id: "state", url: `file:${file}` });
      const mastra = new Mastra({ agents: { desk }, storage, logger: false });
      return { agent: mastra.getAgent("desk"), reported };
    };
    return Object.assign(open, { file });
  };
};
