import { joinValues, shortened } from "../issues.ts";
import {
  definitionIndexOf,
  type PlainKeywords,
  type PlainNode,
  type PlainSchema,
} from "../plain/plain-schema.ts";

const maxDescribedForms = 6;

/** Limited, because describing all forms could be expensive. */
export const describeForms = (schema: PlainSchema, nodes: readonly PlainNode[], depth = 4): string => {
  const unique = [
    ...new Set(nodes.slice(0, maxDescribedForms).map((node) => describeNode(schema, node, depth))),
  ];
  return nodes.length > maxDescribedForms
    ? `${unique.join(", ")}, … (${nodes.length} forms)`
    : unique.join(" or ");
};

const byType = (schema: PlainSchema, node: PlainKeywords, depth: number): string | undefined => {
  if (node.type === undefined) return undefined;
  const names = node.type.map((type) => {
    if (type === "array" && node.items !== undefined && typeof node.items !== "boolean") {
      return `array of ${describeNode(schema, node.items, depth - 1)}`;
    }
    return type === "string" && node.format !== undefined ? `string (${node.format})` : type;
  });
  return names.join(" or ");
};

export const describeNode = (schema: PlainSchema, node: PlainNode, depth = 4): string => {
  if (typeof node === "boolean") return node ? "anything" : "nothing";
  if (depth <= 0) return "a value";
  const values = node.enum ?? node.values;
  if (values !== undefined) return joinValues(values);
  const typed = byType(schema, node, depth);
  if (typed !== undefined) return typed;
  if (node.$ref !== undefined)
    return describeNode(schema, schema.definitions[definitionIndexOf(node.$ref)]!, depth - 1);
  const branches = node.anyOf ?? node.oneOf;
  if (branches !== undefined) return describeForms(schema, branches, depth - 1);
  if (node.allOf !== undefined) return describeNode(schema, node.allOf[0]!, depth - 1);
  return node.properties === undefined ? "a value" : "object";
};

const annotationOf = (schema: PlainSchema, node: PlainNode): string | undefined => {
  if (typeof node === "boolean") return undefined;
  if (node.description !== undefined || node.$ref === undefined) return node.description;
  const target = schema.definitions[definitionIndexOf(node.$ref)]!;
  return typeof target === "boolean" ? undefined : target.description;
};

export const describeWithAnnotation = (schema: PlainSchema, node: PlainNode): string => {
  const words = describeNode(schema, node);
  const description = annotationOf(schema, node);
  return description === undefined
    ? words
    : `${words}: ${shortened(description.replace(/\s+/g, " ").trim(), 120)}`;
};
