import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject, type JsonObject } from "../../../src/base/json/json-value.ts";
import { compileSchema } from "../../../src/base/schema/compile-schema.ts";
import { fromOpenApi, type OpenApiAuth, type OpenApiLoss } from "../../../src/exports/openapi.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import type { AnyTool } from "../../../src/types/tool.ts";
import { dice } from "../random-schema.ts";
import { generateArguments } from "./generate-arguments.ts";

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The result of one call with generated arguments. */
export interface RecordedToolCall {
  readonly tool: string;
  readonly operation: string;
  readonly input: unknown;
  readonly request?: RecordedRequest;
  /** The reason if there was no request. */
  readonly refused?: string;
}

export interface RecordedToolCalls {
  readonly tools: number;
  readonly losses: readonly OpenApiLoss[];
  readonly calls: readonly RecordedToolCall[];
}

const schemesOf = (document: JsonObject): Readonly<Record<string, JsonObject>> => {
  const components = isObject(document.components) ? document.components.securitySchemes : undefined;
  const schemes = document.securityDefinitions ?? components;
  return isObject(schemes) ? (schemes as Record<string, JsonObject>) : {};
};

/** Credentials for every scheme, so that every operation can be called. */
const credentialsFor = (
  document: JsonObject,
): { readonly auth: OpenApiAuth; readonly values: Record<string, string> } => {
  const names = [...Object.keys(schemesOf(document)), "Authorization"];
  return {
    auth: Object.fromEntries(names.map((name) => [name, { secret: `of ${name}` }])),
    values: Object.fromEntries(names.map((name) => [`of ${name}`, `user:canary-${name.length}-secret`])),
  };
};

/**
 * Opens the document's tools over a server that answers null, and calls each of them `times` times through
 * the whole pipeline.
 */
export const callAllOperations = async (
  document: JsonObject,
  times: number,
  seed: number,
): Promise<RecordedToolCalls> => {
  const { auth, values } = credentialsFor(document);
  let recorded: RecordedRequest | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      recorded = { method, url, headers, body: Buffer.concat(chunks).toString() };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(method === "HEAD" ? undefined : "null");
    });
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const { port } = server.address() as AddressInfo;
  const labels = new Map<string, string>();
  const { tools, losses } = await fromOpenApi(document, {
    servers: `http://127.0.0.1:${port}`,
    auth,
    override: ({ method, path }) => ({ layers: [], tags: [`${method} ${path}`] }),
  });
  for (const { spec } of tools) labels.set(spec.name, spec.tags[0]!);
  const haft = await Haft.open({
    tools: [...tools],
    credentials: { values },
    httpEgress: { allow: [`127.0.0.1:${port}`] },
    principal: { agent: "suite", allow: ["*"] },
    config: { registry: { maxTools: 10_000 } },
    approver: async () => ({ kind: "allow" }),
  });
  const calls: RecordedToolCall[] = [];
  try {
    for (const [index, tool] of tools.entries()) {
      for (let count = 0; count < times; count++) {
        const { name } = tool.spec;
        const reported = { tool: name, operation: labels.get(name)! };
        const input = argumentsFor(tool, seed + index * 1_000 + count);
        if (input === undefined) {
          calls.push({ ...reported, input, refused: "no arguments were found that fit the schema" });
          continue;
        }
        recorded = undefined;
        const refused = await haft.call(name, input).then(
          () => undefined,
          (error: Error) => error.message,
        );
        calls.push({
          ...reported,
          input,
          ...(recorded === undefined ? { refused: refused ?? "nothing was sent" } : { request: recorded }),
        });
      }
    }
  } finally {
    await haft.close();
    server.closeAllConnections();
    server.close();
  }
  return { tools: tools.length, losses, calls };
};

/** The first generated arguments that fit the tool's own schema. */
const argumentsFor = ({ spec }: AnyTool, seed: number): JsonObject | undefined => {
  const holds = compileSchema(spec.input);
  for (let attempt = 0; attempt < 60; attempt++) {
    const made = generateArguments(spec.input, dice(seed + attempt * 7_919), seed + attempt);
    if (holds(structuredClone(made)).ok) return made as JsonObject;
  }
  return undefined;
};
