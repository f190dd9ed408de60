import type { Json } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import type { Bracket, Element, Path, Position } from "../document.ts";
import type { DiagnosticCollector } from "../format-diagnostic.ts";
import { readPathSignature } from "../read-path-signature.ts";
import { readSignature } from "../read-signature.ts";
import { writePath } from "../schema-to-signature.ts";
import { readParameter } from "../signature/read-fields.ts";
import { shapeToSchema, signatureToOutputSchema, signatureToSchema } from "../signature-to-schema.ts";
import { type LabeledPattern, type RecordFields, recordFieldsOf } from "./agent-spec.ts";
import { toToolSpec } from "./to-tool-spec.ts";

const toolPropertyNames = { typeSignature: "signature", inputSchema: "input", outputSchema: "output" };

export const readTool = (
  pattern: LabeledPattern,
  text: string,
  problems: DiagnosticCollector,
): ToolSpec | undefined => {
  const { subject, at } = pattern;
  const before = problems.list.length;
  const fields = recordFieldsOf(subject.properties, at, toolPropertyNames, problems);
  const draft = readElements(pattern, problems);
  const values: Record<string, Json> = { ...fields.values };
  for (const key of ["signature", "input", "output"] as const) {
    const isPath = key === "input" && draft.signature !== undefined;
    if (draft[key] === undefined && !isPath) continue;
    if (values[key] !== undefined) {
      fields.complain(
        "said-twice",
        key,
        `The ${key} of the tool is defined twice: in its record and in its parts`,
        "Remove one.",
      );
    }
    if (draft[key] !== undefined) values[key] = draft[key];
  }
  values.name ??= subject.identity?.name ?? "";
  const derived =
    draft.derived ?? readTextSignature({ ...fields, values }, literalAt(pattern, text), problems);
  const known = values.input ?? derived.input ?? values.noSchemaMode;
  // An earlier problem may be the cause.
  if (known === undefined && problems.list.length === before) {
    fields.complain("missing-signature", undefined, "The tool has no signature", shapeHint);
  }
  values.input ??= derived.input ?? { type: "object" };
  values.output ??= derived.output ?? true;
  // `true` accepts anything.
  if (values.output === true) delete values.output;
  const spec = toToolSpec({ ...fields, values });
  return problems.list.length > before ? undefined : spec;
};

/** An unreadable signature is ignored if the tool has an input schema. */
export const readTextSignature = (
  { values, complain }: RecordFields,
  begin: (text: string) => Position | undefined,
  problems: DiagnosticCollector,
): { readonly input?: Json; readonly output?: Json } => {
  const { signature: text } = values;
  if (typeof text !== "string") return {};
  const reading = readSignature(text);
  if (reading.ok) {
    const { signature } = reading;
    return {
      input: signatureToSchema(signature) as Json,
      output: signatureToOutputSchema(signature) as Json,
    };
  }
  if (values.input !== undefined || values.noSchemaMode !== undefined) return {};
  const from = begin(text);
  for (const { code, line, column, offset, message, hint = "" } of reading.diagnostics) {
    const what = message.replace(/\.$/, "");
    if (from === undefined) complain(code, "signature", `In its signature, ${line}:${column}: ${what}`, hint);
    else {
      const at = { line: from.line, column: from.column + column - 1, offset: from.offset + offset };
      problems.add(code, at, what, hint);
    }
  }
  return { input: { type: "object" } };
};

export interface DerivedSchemas {
  readonly input?: Json;
  readonly output?: Json;
}

interface ToolDraft extends DerivedSchemas {
  readonly signature?: string;
  readonly derived?: DerivedSchemas;
}

/** A signature path with shapes, or `input` and `output` shapes. */
const readElements = ({ elements }: LabeledPattern, problems: DiagnosticCollector): ToolDraft => {
  const isSignature = (element: Element): element is Path =>
    element.kind === "path" && element.nodes.length > 1;
  const paths = elements.filter(isSignature);
  const others = elements.filter((element) => !isSignature(element));
  const [path, second] = paths;
  if (second !== undefined) {
    problems.add("several-signatures", second.at, "A tool can have only one signature", "Define two tools.");
  }
  if (path === undefined) return readShapes(others, problems);
  const shapes = others.filter((element): element is Bracket => element.kind === "bracket");
  const odd = others.find((element) => element.kind !== "bracket");
  if (odd !== undefined)
    problems.add("wrong-shape", odd.at, "Besides its signature, a tool can have only shapes", shapeHint);
  const signature = readPathSignature(path, shapes, problems);
  if (signature === undefined) return { derived: { input: { type: "object" } } };
  const derived = {
    input: signatureToSchema(signature),
    output: signatureToOutputSchema(signature),
  } as DerivedSchemas;
  return { signature: writePath(signature), derived };
};

const shapeHint =
  "Write [sayHello:Tool {…} | (name::String)==>(::String)], or [input:Object | (name::String)] and (output::String).";

const readShapes = (elements: readonly Element[], problems: DiagnosticCollector): DerivedSchemas => {
  const found: Record<string, Json> = {};
  for (const element of elements) {
    const source =
      element.kind === "path" ? element.nodes[0] : element.kind === "bracket" ? element : undefined;
    const name = source?.subject.identity?.name;
    if (source === undefined || (name !== "input" && name !== "output") || found[name] !== undefined) {
      problems.add(
        "missing-result",
        element.at,
        "This is neither a signature nor a shape of the input or the output",
        shapeHint,
      );
      continue;
    }
    const { name: _, optional, default: given, ...shape } = readParameter(source, problems);
    if (given !== undefined)
      problems.add("wrong-default", element.at, `The ${name} cannot have a default`, "Remove it.");
    found[name] = shapeToSchema(optional ? { ...shape, nullable: true } : shape) as Json;
  }
  return found;
};

const literalAt = (
  { subject }: LabeledPattern,
  text: string,
): ((signature: string) => Position | undefined) => {
  const value = subject.properties.find(({ key }) => key === "typeSignature")?.value;
  return (signature) => {
    if (value?.at === undefined) return undefined;
    const { line, column, offset } = value.at;
    const isPlain =
      value.kind === "string" && text.startsWith(signature, offset + 1) && !signature.includes("\n");
    return isPlain ? { line, column: column + 1, offset: offset + 1 } : undefined;
  };
};
