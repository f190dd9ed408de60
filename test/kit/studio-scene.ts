import { Haft, type HaftOptions, type Principal, tool } from "haft";
import { agent } from "haft/agent";
import type { Model } from "haft/models";
import { type Studio, type StudioOptions, studio } from "haft/studio";
import { onTestFinished } from "vitest";
import { compileSchema } from "../../src/base/schema/compile-schema.ts";
import { answerSchemas } from "../../src/server/studio-api/schemas/answer-schemas.ts";
import { scriptedModel } from "./scripted-model.ts";

const text = { type: "string" } as const;
export const studioOrigin = "http://127.0.0.1:7334";

/**
 * A shop agent that looks up orders and refunds them; a refund requires approval. Effects are recorded
 * outside of the runtime.
 */
export const studioScene = async (
  options: Partial<HaftOptions> & { readonly model?: Model } = {},
  more: StudioOptions = {},
) => {
  const refunds: string[] = [];
  const order = tool({
    name: "find_order",
    description: "Finds an order by its number",
    input: {
      type: "object",
      properties: { id: text, key: text },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { readOnly: true, openWorld: true },
    run: ({ id }) => ({ id, total: 12 }),
  });
  const refund = tool({
    name: "refund",
    description: "Pays an order back",
    input: { type: "object", properties: { id: text, amount: { type: "number" } }, required: ["id"] },
    risk: "high",
    run: ({ id }) => {
      refunds.push(id);
      return { refunded: id };
    },
  });
  const broken = tool({
    name: "broken",
    description: "Breaks",
    input: { type: "object" },
    annotations: { readOnly: true },
    run: (): { rows: number } => {
      throw new Error("no rows");
    },
  });
  const { model = scriptedModel([]), ...opening } = options;
  const principal: Principal = { agent: "clerk", session: "s-1", allow: ["*"] };
  const haft = await Haft.open({ tools: [order, refund, broken], principal, ...opening } as HaftOptions);
  const desk = agent({ name: "desk", instructions: "Help.", model, tools: ["find_order", "refund"] });
  const studioInstance = studio(haft as Haft, {
    agents: [desk],
    principals: [{ agent: "guest", allow: ["find_*"] }],
    onError: (error) => {
      throw error;
    },
    ...more,
  });
  onTestFinished(async () => {
    await studioInstance.close();
    await haft.close();
  });
  return { haft, desk, refunds, made: studioInstance, ...studioClient(studioInstance) };
};

/** A client that signed in by a link and sends requests like the page. */
export const studioClient = (studio: Studio, name = "ada", access?: "all" | "read") => {
  let cookie: Promise<string> | undefined;
  const send = (
    path: string,
    init: RequestInit = {},
    visit?: Parameters<Studio["fetch"]>[1],
  ): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", "127.0.0.1:7334");
    return studio.fetch(new Request(`${studioOrigin}${path}`, { ...init, headers }), visit);
  };
  const signIn = async (): Promise<string> => {
    const token = studio.link(name, access).split("#token=")[1];
    const response = await send("/api/v1/sign-in", studioPostInit({ token }));
    return response.headers.get("set-cookie")!.split(";")[0]!;
  };
  const signed = async (path: string, init: RequestInit = {}): Promise<Response> => {
    cookie ??= signIn();
    const headers = new Headers(init.headers);
    headers.set("cookie", await cookie);
    return send(`/api/v1${path}`, { ...init, headers });
  };
  return {
    send,
    signed,
    signIn,
    /** The answer to a GET, checked against the schema of this name. */
    get: async <Answer>(path: string, schema?: string): Promise<Answer> => {
      const response = await signed(path);
      const body = (await response.json()) as Answer;
      if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
      if (schema !== undefined) checkAnswerSchema(schema, body);
      return body;
    },
    post: async <Answer>(
      path: string,
      body: object,
      schema?: string,
    ): Promise<Answer & { readonly status: number }> => {
      const response = await signed(path, studioPostInit(body));
      const answer = (await response.json()) as Answer & object;
      if (schema !== undefined) checkAnswerSchema(schema, answer);
      return { ...answer, status: response.status };
    },
  };
};

export const studioPostInit = (
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", "x-haft-studio": "1", origin: studioOrigin, ...headers },
});

/** Checks that an answer matches its documented schema, without missing or additional members. */
export const checkAnswerSchema = (name: string, answer: unknown): void => {
  const schema = { $ref: `#/components/schemas/${name}`, components: { schemas: answerSchemas } };
  const judged = compileSchema(schema)(structuredClone(answer));
  if (!judged.ok) throw new Error(`${name}: ${JSON.stringify(judged.issues, null, 2)}`);
};

/** The events of a stream as they come. */
export async function* readServerEvents(
  response: Response,
): AsyncGenerator<{ name: string; id: string | undefined; data: never }> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data !== undefined)
        yield { name: field("event") ?? "message", id: field("id"), data: JSON.parse(data) as never };
    }
  }
}
