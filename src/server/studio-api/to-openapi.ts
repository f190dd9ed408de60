import type { JsonSchema } from "../../types/json.ts";
import type { Route } from "./api-context.ts";
import { answerSchemas } from "./schemas/answer-schemas.ts";
import { schemaRef } from "./schemas/schema-builders.ts";

export const toOpenApi = (routes: readonly Route[], version: string, base: string): JsonSchema => ({
  openapi: "3.1.0",
  info: {
    title: "Haft Studio",
    version,
    description:
      "The API of the Studio's page. Times are milliseconds since 1970. POST requests need a JSON body and the header X-Haft-Studio: 1.",
  },
  servers: [{ url: `${base}/api/v1` }],
  security: [{ token: [] }, { session: [] }],
  paths: pathsOf(routes),
  components: {
    schemas: answerSchemas,
    securitySchemes: {
      token: { type: "http", scheme: "bearer" },
      session: {
        type: "apiKey",
        in: "cookie",
        name: "haft-studio",
        description:
          "The name ends with a dash and the port, such as haft-studio-7334, if the URL has a port.",
      },
    },
  },
});

const pathsOf = (routes: readonly Route[]): JsonSchema => {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = path;
  }
  return paths;
};

const operationOf = ({
  method,
  path,
  scope,
  isOpen,
  about,
  query = {},
  body,
  answer,
}: Route): JsonSchema => ({
  operationId: operationId(method, path),
  summary: about,
  ...(isOpen === true ? { security: [] } : { "x-scope": scope }),
  parameters: [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...Object.entries(query).map(([name, { schema, about: what }]) => ({
      name,
      in: "query",
      description: what,
      schema,
    })),
    ...(method === "GET"
      ? []
      : [{ name: "X-Haft-Studio", in: "header", required: true, schema: { type: "string" } }]),
  ],
  ...(method === "GET"
    ? {}
    : {
        requestBody: {
          required: true,
          content: { "application/json": { schema: body ?? { type: "object" } } },
        },
      }),
  responses: { "200": { description: about, content: responseContent(answer) }, default: errorResponse },
});

const responseContent = (answer: string): JsonSchema => {
  if (answer === "events") return { "text/event-stream": { schema: { type: "string" } } };
  if (answer === "text") return { "text/plain": { schema: { type: "string" } } };
  return { "application/json": { schema: answer === "any" ? {} : schemaRef(answer) } };
};

const errorResponse = {
  description: "Error",
  content: { "application/json": { schema: schemaRef("ApiError") } },
};

const operationId = (method: string, path: string): string =>
  `${method.toLowerCase()}${path
    .split(/[/{}.-]/)
    .filter((word) => word !== "")
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("")}`;
