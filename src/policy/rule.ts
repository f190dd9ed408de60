import type { Annotations, Risk, ToolSource } from "../words/spec.ts";
import type { Conditions } from "./conditions.ts";

/** A statement about calls. Every field it has must fit; within one list, one entry is enough. */
export interface Rule extends Conditions {
  /** Names the rule in the ledger. Without one it is called by its place: `rules[0]`. */
  readonly id?: string;
  readonly effect: "allow" | "deny" | "approve";
  readonly agents?: readonly string[];
  readonly roles?: readonly string[];
  readonly users?: readonly string[];
  readonly tenants?: readonly string[];
  readonly tools?: readonly string[];
  readonly toolkits?: readonly string[];
  readonly risk?: readonly Risk[];
  readonly source?: readonly ToolSource[];
  readonly tags?: readonly string[];
  /** What the tool says of itself, every one named; what it leaves out it denies. */
  readonly annotations?: Omit<Annotations, "title">;
  /** On an `allow`: calls it covers need no person, although the tool is risky or asks for one. */
  readonly waivesApproval?: boolean;
  /** For operators. */
  readonly reason?: string;
}
