import type { Json } from "../../../types/json.ts";
import { isInteger } from "../characters.ts";
import type { Arrow, Bracket, Element, Path, PathNode, Property, Subject } from "../document.ts";
import type { Shape, Signature, SignatureParameter, SignatureType } from "../signature-types.ts";
import { pathNames } from "./type-names.ts";
import { jsonToValue } from "./value-json.ts";

export interface SignatureParts {
  readonly path: Path;
  readonly shapes: readonly Bracket[];
}

const signatureArrow: Arrow = { family: "=", direction: "right" };

export const signatureToPath = ({ parameters, result }: Signature): SignatureParts => {
  const name = needsBracket(result.type) ? freeName(parameters) : "";
  const given =
    parameters.length === 0 ? [emptyNode] : parameters.map((each) => ({ subject: subjectOf(each) }));
  const nodes: readonly PathNode[] = [...given, { subject: subjectOf({ ...result, name }) }];
  const shapes = [...parameters, { ...result, name }]
    .filter(({ type }) => needsBracket(type))
    .map(
      ({ name, type }): Bracket => ({
        kind: "bracket",
        subject: subjectOf({ name, type }),
        elements: elementsOf(type),
      }),
    );
  return { path: { kind: "path", nodes, arrows: given.map(() => signatureArrow) }, shapes };
};

const emptyNode: PathNode = { subject: { labels: [], properties: [] } };

const freeName = (parameters: readonly SignatureParameter[]): string => {
  let name = "result";
  while (parameters.some((each) => each.name === name)) name += "_";
  return name;
};

export const fieldElement = (field: NamedShape): Bracket | Path => {
  const subject = subjectOf(field);
  return needsBracket(field.type)
    ? { kind: "bracket", subject, elements: elementsOf(field.type) }
    : { kind: "path", nodes: [{ subject }], arrows: [] };
};

const elementsOf = (type: SignatureType): readonly Element[] => {
  if (typeof type === "string") return [];
  return "list" in type ? [fieldElement({ ...type.list, name: "" })] : type.record.map(fieldElement);
};

type NamedShape = Shape & Partial<SignatureParameter> & { readonly name: string };

const needsBracket = (type: SignatureType): boolean =>
  typeof type === "object" && !("list" in type && isPlainList(type.list));

/** Such a list is written with `elementType`. */
const isPlainList = (items: Shape): boolean =>
  typeof items.type === "string" && Object.keys(items).length === 1;

const subjectOf = ({ name, ...field }: NamedShape): Subject => ({
  ...(name === "" ? {} : { identity: { kind: isInteger(name) ? "integer" : "name", name } }),
  labels: [{ name: labelOf(field.type), double: true }],
  properties: [...propertiesOf(field)],
});

const labelOf = (type: SignatureType): string =>
  pathNames[typeof type === "string" ? type : "list" in type ? "array" : "object"];

function* propertiesOf(field: Omit<NamedShape, "name">): Generator<Property> {
  const { type, nullable, optional, default: given, ...constraints } = field;
  if (constraints.description !== undefined) yield property("description", constraints.description);
  if (given !== undefined) yield property("default", given);
  for (const key of ["enum", "minimum", "maximum", "pattern", "format"] as const) {
    const value = constraints[key];
    if (value !== undefined) yield property(key, value);
  }
  if (typeof type === "object" && "list" in type && isPlainList(type.list)) {
    yield property("elementType", labelOf(type.list.type));
  }
  if (nullable === true || (optional === true && given === undefined)) yield property("optional", true);
}

const property = (key: string, value: Json): Property => ({ key, value: jsonToValue(value) });
