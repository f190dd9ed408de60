import type { InputRequests } from "../../words/mcp.ts";

export type Capabilities = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Before there were modes, a bare declaration meant forms. */
export const canElicit = (capabilities: Capabilities, mode: "form" | "url"): boolean => {
  const { elicitation } = capabilities;
  if (!isRecord(elicitation)) return false;
  if (elicitation[mode] !== undefined) return true;
  return mode === "form" && elicitation.url === undefined;
};

/** What a client would have to declare to be asked this; nothing if it did. */
const missingFor = (
  { method, params }: InputRequests[string],
  capabilities: Capabilities,
): Capabilities | undefined => {
  const asked = isRecord(params) ? params : {};
  switch (method) {
    case "elicitation/create": {
      const mode = asked.mode === "url" ? "url" : "form";
      return canElicit(capabilities, mode) ? undefined : { elicitation: { [mode]: {} } };
    }
    case "sampling/createMessage": {
      const { sampling } = capabilities;
      if (asked.tools === undefined && asked.toolChoice === undefined) {
        return isRecord(sampling) ? undefined : { sampling: {} };
      }
      return isRecord(sampling) && sampling.tools !== undefined ? undefined : { sampling: { tools: {} } };
    }
    case "roots/list":
      return isRecord(capabilities.roots) ? undefined : { roots: {} };
    default:
      return {};
  }
};

/** The first question that the client never said it could answer. */
export const uncovered = (
  requests: InputRequests,
  capabilities: Capabilities,
): { readonly method: string; readonly missing: Capabilities } | undefined => {
  for (const request of Object.values(requests)) {
    const missing = missingFor(request, capabilities);
    if (missing !== undefined) return { method: request.method, missing };
  }
  return undefined;
};

export const tasksExtension = "io.modelcontextprotocol/tasks";

export const takesTasks = ({ extensions }: Capabilities): boolean =>
  isRecord(extensions) && isRecord(extensions[tasksExtension]);
