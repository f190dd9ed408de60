/**
 * The signature of a type that is derived from a schema: the fields of the schema, written as an interface.
 * `schemaTypeOf` finds the declared type of a constant. Other signatures are returned unchanged.
 */
export const withSchemaValues = (
  signature: string,
  schemaTypeOf: (name: string) => string | undefined,
): string =>
  signature
    .replace(/ extends ValueOf<typeof (\w+)> \{\n?/, (whole, name: string) => {
      const type = schemaTypeOf(name);
      return type === undefined ? whole : ` ${valueTypeOf(type).replace(/\}$/, "")}`;
    })
    .replace(/= ValueOf<typeof (\w+)>/, (whole, name: string) => {
      const type = schemaTypeOf(name);
      return type === undefined ? whole : `= ${valueTypeOf(type)}`;
    });

const builder =
  /^(?:import\("[^"]*"\)\.)?(ObjectSchema|ArraySchema|EnumSchema|OptionalField|Schema)<([\s\S]*)>$/;

/** `ObjectSchema<{ name: OptionalField<Schema<string>> }>` becomes `{ readonly name?: string }`. */
const valueTypeOf = (schema: string): string => {
  const [, kind, inner = ""] = builder.exec(schema.trim()) ?? [];
  switch (kind) {
    case "ObjectSchema":
      return objectTypeOf(inner);
    case "ArraySchema": {
      const items = valueTypeOf(inner);
      return /^(?:"|readonly )/.test(items) ? `readonly (${items})[]` : `readonly ${items}[]`;
    }
    case "EnumSchema":
      return inner.replace(/^readonly \[|\]$/g, "").replaceAll(", ", " | ");
    case "OptionalField":
      return valueTypeOf(inner);
    case "Schema":
      return inner;
    default:
      return schema;
  }
};

/** Members begin at the smallest indentation; deeper lines belong to the member above. */
const objectTypeOf = (members: string): string => {
  const lines = members.split("\n");
  const indent = /^ */.exec(lines[1] ?? "")![0];
  const out: string[] = [lines[0]!];
  for (let at = 1; at < lines.length - 1; at += 1) {
    const [, name] = new RegExp(`^${indent}(\\S+): `).exec(lines[at]!) ?? [];
    if (name === undefined) {
      out.push(lines[at]!);
      continue;
    }
    let end = at;
    while (!lines[end]!.endsWith(";") || (end > at && !lines[end]!.startsWith(`${indent}}`))) end += 1;
    const type = lines
      .slice(at, end + 1)
      .join("\n")
      .slice(indent.length + name.length + 2, -1);
    const isOptional = /^(?:import\("[^"]*"\)\.)?OptionalField</.test(type);
    out.push(`${indent}readonly ${name}${isOptional ? "?" : ""}: ${valueTypeOf(type)};`);
    at = end;
  }
  return [...out, lines.at(-1)!].join("\n");
};
