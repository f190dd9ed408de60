import type { HttpMethod } from "../../base/http/http-egress.ts";
import { isObject, type JsonObject, toPointer } from "../../base/json/json-value.ts";
import { isJsonType } from "../http/encode-content.ts";
import type { LossCollector, OpenApiResponse, ParsedOperation, ReportLoss } from "./operation.ts";
import { followReferences, type OpenApiDocument } from "./read-document.ts";
import { readParameters } from "./request/read-parameters.ts";
import { readFormBody, readRequestBody } from "./request/read-request-body.ts";

const methodsByKey: Readonly<Record<string, HttpMethod>> = {
  get: "GET",
  head: "HEAD",
  options: "OPTIONS",
  post: "POST",
  put: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};

/** References are resolved, schemas unread. */
export const readOperations = (
  document: OpenApiDocument,
  losses: LossCollector,
): readonly ParsedOperation[] => {
  const { root } = document;
  const paths = isObject(root.paths) ? root.paths : {};
  return Object.entries(paths).flatMap(([path, given]) => {
    if (path.startsWith("x-")) return [];
    const at = toPointer(["paths", path]);
    const item = followReferences(root, given, at);
    if ("problem" in item || !isObject(item.value)) {
      const why = "problem" in item ? item.problem : "it is not an object";
      losses.note({ pointer: at, what: `The operations of ${path} are left out: ${why}.` });
      return [];
    }
    return operationsOf(document, path, item.value, item.pointer, losses);
  });
};

const operationsOf = (
  document: OpenApiDocument,
  path: string,
  item: JsonObject,
  at: string,
  losses: LossCollector,
): readonly ParsedOperation[] =>
  Object.entries(item).flatMap(([key, operation]) => {
    const pointer = at + toPointer([key]);
    if (key === "trace" || key === "query" || key === "additionalOperations") {
      losses.note({
        operation: `${key.toUpperCase()} ${path}`,
        pointer,
        what: "Left out: no HTTP tool has this method.",
      });
      return [];
    }
    const method = Object.hasOwn(methodsByKey, key) ? methodsByKey[key] : undefined;
    if (method === undefined || !isObject(operation)) return [];
    const label = `${method} ${path}`;
    const note = losses.of(label);
    // Such a path would extend the server's host or port.
    if (!path.startsWith("/")) {
      note(pointer, 'Left out: its path does not begin with "/".');
      return [];
    }
    try {
      return [readOperation(document, { method, path, label, item, operation, pointer, at }, note)];
    } catch (error) {
      note(pointer, `Left out: it cannot be read: ${(error as Error).message}.`);
      return [];
    }
  });

interface LocatedOperation {
  readonly method: HttpMethod;
  readonly path: string;
  readonly label: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly pointer: string;
  readonly at: string;
}

const readOperation = (
  document: OpenApiDocument,
  found: LocatedOperation,
  reportLoss: ReportLoss,
): ParsedOperation => {
  const { method, path, label, item, operation, pointer } = found;
  const parameters = readParameters(document, found, reportLoss);
  const body =
    document.version === "2.0"
      ? readFormBody(document, found, reportLoss)
      : readRequestBody(document, operation.requestBody, `${pointer}/requestBody`, reportLoss);
  if (isObject(operation.callbacks) && Object.keys(operation.callbacks).length > 0)
    reportLoss(
      `${pointer}/callbacks`,
      "Callbacks are omitted: the tool cannot receive requests of the service.",
    );
  return {
    ...textOf("id", operation.operationId),
    ...textOf("summary", operation.summary ?? item.summary),
    ...textOf("description", operation.description ?? item.description),
    method,
    path,
    label,
    pointer,
    tags: (Array.isArray(operation.tags) ? operation.tags : []).filter((tag) => typeof tag === "string"),
    deprecated: operation.deprecated === true,
    parameters,
    ...(body === undefined ? {} : { body }),
    answers: readResponses(document, operation, pointer, reportLoss),
    ...securityOf(operation.security ?? document.root.security),
    servers:
      ([operation.servers, item.servers].find((list) => Array.isArray(list) && list.length > 0) as never) ??
      [],
  };
};

const textOf = <Key extends string>(key: Key, value: unknown): { readonly [K in Key]?: string } =>
  (typeof value === "string" && value.trim() !== "" ? { [key]: value } : {}) as never;

const securityOf = (given: unknown): Pick<ParsedOperation, "security"> =>
  Array.isArray(given) && given.length > 0
    ? { security: given.filter(isObject).map((schemes) => Object.keys(schemes)) }
    : {};

/** Of 2xx, or else `default`. Empty if a response may be something else. */
const readResponses = (
  document: OpenApiDocument,
  operation: JsonObject,
  at: string,
  reportLoss: ReportLoss,
): readonly OpenApiResponse[] => {
  const responses = isObject(operation.responses) ? operation.responses : {};
  const good = Object.keys(responses).filter((status) => /^2(\d\d|XX)$/i.test(status));
  const statuses = good.length > 0 ? good : Object.hasOwn(responses, "default") ? ["default"] : [];
  const answers: OpenApiResponse[] = [];
  for (const status of statuses) {
    const pointer = `${at}/responses${toPointer([status])}`;
    const found = followReferences(document.root, responses[status], pointer);
    if ("problem" in found || !isObject(found.value)) {
      reportLoss(
        pointer,
        `The response ${status} is not described: ${"problem" in found ? found.problem : "it is not an object"}.`,
      );
      return [];
    }
    const answer = responseOf(document, found.value, found.pointer, operation);
    if (answer === "other") return [];
    if (answer !== undefined) answers.push(answer);
  }
  return answers;
};

const responseOf = (
  document: OpenApiDocument,
  response: JsonObject,
  pointer: string,
  operation: JsonObject,
): OpenApiResponse | "other" | undefined => {
  if (document.version === "2.0") {
    if (response.schema === undefined) return undefined;
    const produces: unknown = [operation.produces, document.root.produces].find(Array.isArray) ?? [];
    const types = (produces as readonly unknown[]).filter((type) => typeof type === "string");
    const isJson = types.length === 0 || types.some((type) => isJsonType(type) || type === "*/*");
    if (!isJson || (isObject(response.schema) && response.schema.type === "file")) return "other";
    return { schema: response.schema, pointer: `${pointer}/schema` };
  }
  const content = Object.entries(isObject(response.content) ? response.content : {});
  if (content.length === 0) return undefined;
  const json = content.find(([type]) => isJsonType(type) || type === "*/*");
  if (json === undefined) return "other";
  const at = `${pointer}/content${toPointer([json[0]])}`;
  const media = followReferences(document.root, json[1], at);
  if ("problem" in media || !isObject(media.value) || media.value.schema === undefined) return "other";
  return { schema: media.value.schema, pointer: `${media.pointer}/schema` };
};
