import type { JsonSchema } from "../../../types/json.ts";
import { approvalAndRunSchemas } from "./approvals-and-runs.ts";
import { callsSchemas } from "./calls.ts";
import { serversSchemas } from "./servers.ts";
import { sharedSchemas } from "./shared.ts";
import { toolsSchemas } from "./tools.ts";

/** All response schemas by name. They match the types in `types/`. */
export const answerSchemas: Readonly<Record<string, JsonSchema>> = {
  ...sharedSchemas,
  ...callsSchemas,
  ...approvalAndRunSchemas,
  ...toolsSchemas,
  ...serversSchemas,
};
