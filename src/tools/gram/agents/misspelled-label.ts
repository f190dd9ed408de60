import { nearest } from "../../../base/text/nearest.ts";
import type { Element, Label, Property } from "../document.ts";
import { simpleTypeByName } from "../signature/type-names.ts";
import { isLabeled, type LabeledPattern } from "./pattern.ts";

export interface MisspelledLabel {
  readonly label: Label;
  readonly meant: "Agent" | "Tool";
}

const labelSynonyms: Readonly<Record<string, MisspelledLabel["meant"]>> = {
  agentspecification: "Agent",
  agentspec: "Agent",
  toolspecification: "Tool",
  toolspec: "Tool",
};

const agentKeys = new Set([
  "instruction",
  "instructions",
  "model",
  "settings",
  "toolSearch",
  "output",
  "handoffs",
]);
const toolKeys = new Set(["typeSignature", "inputSchema", "outputSchema", "noSchemaMode"]);

/**
 * Files may have other labels, such as `Pool`: reported only if `isExpected` or if the properties are those
 * of an agent or tool.
 */
export const findMisspelledLabel = (
  pattern: LabeledPattern,
  isExpected: boolean,
): MisspelledLabel | undefined => {
  if (isLabeled(pattern, "agent") || isLabeled(pattern, "tool")) return undefined;
  for (const label of pattern.subject.labels) {
    const other = labelSynonyms[label.name.toLowerCase()];
    if (other !== undefined) return { label, meant: other };
    const meant = nearest(label.name, ["Agent", "Tool"]) as MisspelledLabel["meant"] | undefined;
    if (meant !== undefined && (isExpected || mentions(pattern, meant))) return { label, meant };
  }
  return undefined;
};

const mentions = ({ subject, elements }: LabeledPattern, what: MisspelledLabel["meant"]): boolean => {
  const has = (keys: ReadonlySet<string>): boolean =>
    subject.properties.some(({ key }: Property) => keys.has(key));
  return what === "Agent" ? has(agentKeys) : has(toolKeys) || elements.some(isSignature);
};

const isSignature = (element: Element): boolean => {
  if (element.kind !== "path" || element.nodes.length < 2) return false;
  const { identity, labels } = element.nodes.at(-1)!.subject;
  return identity === undefined && labels.some(({ name }) => simpleTypeByName(name) !== undefined);
};
