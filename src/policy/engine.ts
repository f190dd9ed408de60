import * as Context from "effect/Context";
import type { Principal } from "../words/principal.ts";
import type { Registration } from "../words/tool.ts";
import type { ExplainRequest, PolicyExplanation } from "./explanation.ts";
import type { Decision } from "./judge.ts";
import type { PolicyRequest } from "./request.ts";

/** Pure and synchronous: it is asked on every call, and for every tool that might be offered. */
export interface PolicyEngine {
  /** The best that any arguments could get: `deny` means the tool is not there for this caller. */
  readonly visible: (principal: Principal | undefined, registration: Registration) => Decision;
  readonly decide: (request: PolicyRequest) => Decision;
  /** Who was asked and what each said, for operators. */
  readonly explain?: (request: ExplainRequest) => Promise<PolicyExplanation>;
}

export class Policy extends Context.Service<Policy, PolicyEngine>()("haft/Policy") {}
