import { beyondDocuments } from "./requirements/beyond-documents.ts";
import { hydration } from "./requirements/hydration.ts";
import { integration } from "./requirements/integration.ts";
import { layeredExecution } from "./requirements/layered-execution.ts";
import { meanings } from "./requirements/meanings.ts";
import type { Requirement } from "./requirements/requirement.ts";
import { specification } from "./requirements/specification.ts";
import { toolService } from "./requirements/tool-service.ts";

/** Every promise of the system, with the tests that prove it. */
export const requirements: readonly Requirement[] = [
  ...toolService,
  ...integration,
  ...layeredExecution,
  ...specification,
  ...hydration,
  ...meanings,
  ...beyondDocuments,
];
