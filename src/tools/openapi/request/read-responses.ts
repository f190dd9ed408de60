import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import { toPointer } from "../../../base/json/to-pointer.ts";
import { isJsonType } from "../../http/encode-content.ts";
import { followReferences } from "../follow-references.ts";
import type { ReportLoss } from "../loss-collector.ts";
import type { OpenApiResponse } from "../operation.ts";
import type { OpenApiDocument } from "../read-document.ts";

/** Of 2xx, or else `default`. Empty if a response may be something else. */
export const readResponses = (
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
        `The answer ${status} is not described: ${"problem" in found ? found.problem : "it is no object"}.`,
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
