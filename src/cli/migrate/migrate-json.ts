import jsonc, { type Node as JsonNode } from "jsonc-parser";
import { type Edit, lineAt, type Migration, type Note } from "./edits.ts";
import type { OptionsRenames } from "./renames-0.3.ts";

/** Undefined if the text is not JSON. */
export const migrateJson = (text: string, fields: OptionsRenames["fields"]): Migration | undefined => {
  const errors: jsonc.ParseError[] = [];
  const tree = jsonc.parseTree(text, errors, { allowTrailingComma: true });
  if (tree === undefined || errors.length > 0) return undefined;
  const edits: Edit[] = [];
  const notes: Note[] = [];
  for (const [path, to] of Object.entries(fields)) {
    const steps = path.split(".");
    const key = keyAt(tree, steps);
    if (key === undefined) continue;
    if (keyAt(tree, [...steps.slice(0, -1), to]) !== undefined)
      notes.push({
        line: lineAt(text, key.offset),
        message: `Not changed: there are both "${path}" and "${to}". Remove one of them.`,
      });
    else edits.push({ start: key.offset, end: key.offset + key.length, text: JSON.stringify(to) });
  }
  const changes = edits.map(({ start, end, text: content }) => ({
    offset: start,
    length: end - start,
    content,
  }));
  return { text: jsonc.applyEdits(text, changes), edits, notes };
};

const keyAt = (tree: JsonNode, steps: readonly string[]): JsonNode | undefined =>
  jsonc.findNodeAtLocation(tree, [...steps])?.parent?.children?.[0];
