import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import { uiExtension } from "../../../mcp/client/to-tool/mcp-app.ts";
import type { InputRequests } from "../../../types/mcp.ts";
/** Older protocols have no modes: a bare declaration means forms. */
export const canElicit = (capabilities: JsonObject, mode: "form" | "url"): boolean => {
  const { elicitation } = capabilities;
  if (!isObject(elicitation)) return false;
  if (elicitation[mode] !== undefined) return true;
  return mode === "form" && elicitation.url === undefined;
};

const missingCapability = (
  { method, params }: InputRequests[string],
  capabilities: JsonObject,
): JsonObject | undefined => {
  const asked = isObject(params) ? params : {};
  switch (method) {
    case "elicitation/create": {
      const mode = asked.mode === "url" ? "url" : "form";
      return canElicit(capabilities, mode) ? undefined : { elicitation: { [mode]: {} } };
    }
    case "sampling/createMessage": {
      const { sampling } = capabilities;
      if (asked.tools === undefined && asked.toolChoice === undefined) {
        return isObject(sampling) ? undefined : { sampling: {} };
      }
      return isObject(sampling) && sampling.tools !== undefined ? undefined : { sampling: { tools: {} } };
    }
    case "roots/list":
      return isObject(capabilities.roots) ? undefined : { roots: {} };
    default:
      return {};
  }
};

export const findUnsupportedRequest = (
  requests: InputRequests,
  capabilities: JsonObject,
): { readonly method: string; readonly missing: JsonObject } | undefined => {
  for (const request of Object.values(requests)) {
    const missing = missingCapability(request, capabilities);
    if (missing !== undefined) return { method: request.method, missing };
  }
  return undefined;
};

export const tasksExtension = "io.modelcontextprotocol/tasks";

export const supportsApps = ({ extensions }: JsonObject): boolean =>
  isObject(extensions) && isObject(extensions[uiExtension]);

export const supportsTasks = ({ extensions }: JsonObject): boolean =>
  isObject(extensions) && isObject(extensions[tasksExtension]);
