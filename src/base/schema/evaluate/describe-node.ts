import { listed, shortened } from "../issues.ts";
import { definitionOf, type PlainKeywords, type PlainNode, type PlainSchema } from "../plain/plain-schema.ts";

const most = 6;

/** The first few of several forms; describing all could be as much work as judging. */
export const describeForms = (schema: PlainSchema, nodes: readonly PlainNode[], depth = 4): string => {
  const unique = [...new Set(nodes.slice(0, most).map((node) => describe(schema, node, depth)))];
  return nodes.length > most ? `${unique.join(", ")}, … (${nodes.length} forms)` : unique.join(" or ");
};

const byType = (schema: PlainSchema, node: PlainKeywords, depth: number): string | undefined => {
  if (node.type === undefined) return undefined;
  const names = node.type.map((type) => {
    if (type === "array" && node.items !== undefined && typeof node.items !== "boolean") {
      return `array of ${describe(schema, node.items, depth - 1)}`;
    }
    return type === "string" && node.format !== undefined ? `string (${node.format})` : type;
  });
  return names.join(" or ");
};

/** What a schema wants, in a few words. */
export const describe = (schema: PlainSchema, node: PlainNode, depth = 4): string => {
  if (typeof node === "boolean") return node ? "anything" : "nothing";
  if (depth <= 0) return "a value";
  const values = node.enum ?? node.values;
  if (values !== undefined) return listed(values);
  const typed = byType(schema, node, depth);
  if (typed !== undefined) return typed;
  if (node.$ref !== undefined)
    return describe(schema, schema.definitions[definitionOf(node.$ref)]!, depth - 1);
  const branches = node.anyOf ?? node.oneOf;
  if (branches !== undefined) return describeForms(schema, branches, depth - 1);
  if (node.allOf !== undefined) return describe(schema, node.allOf[0]!, depth - 1);
  return node.properties === undefined ? "a value" : "object";
};

const remark = (schema: PlainSchema, node: PlainNode): string | undefined => {
  if (typeof node === "boolean") return undefined;
  if (node.description !== undefined || node.$ref === undefined) return node.description;
  const target = schema.definitions[definitionOf(node.$ref)]!;
  return typeof target === "boolean" ? undefined : target.description;
};

/** The same with what its author says about it. */
export const describeFully = (schema: PlainSchema, node: PlainNode): string => {
  const words = describe(schema, node);
  const said = remark(schema, node);
  return said === undefined ? words : `${words}: ${shortened(said.replace(/\s+/g, " ").trim(), 120)}`;
};
