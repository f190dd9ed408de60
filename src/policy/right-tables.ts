import { checkFields } from "../base/json/check-fields.ts";
import { nearest } from "../base/text/nearest.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";
import type { Rights, RightTable } from "./options.ts";
import { type CompiledRight, compileRight, type Right, type Toolkits } from "./right.ts";

export type TableName = keyof Rights;

export interface CompiledTable {
  readonly table: TableName;
  readonly rights: ReadonlyMap<string, CompiledRight>;
}

/** The kind of name, and the names of a principal. */
const tableColumns = {
  agents: ["agent", ({ agent }) => [agent]],
  users: ["user", ({ user }) => [user]],
  tenants: ["tenant", ({ tenant }) => [tenant]],
  roles: ["role", ({ roles }) => roles ?? []],
} satisfies Record<TableName, readonly [string, (principal: Principal) => readonly (string | undefined)[]]>;

export const compileTables = (rights: Rights, toolkits: Toolkits): readonly CompiledTable[] => {
  checkFields("rights", rights, Object.keys(tableColumns));
  return (Object.keys(tableColumns) as TableName[]).flatMap((table) => {
    const given = rights[table];
    return given === undefined ? [] : [{ table, rights: compileTable(table, given, toolkits) }];
  });
};

const compileTable = (table: TableName, given: RightTable, toolkits: Toolkits): CompiledTable["rights"] => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw rightsError(`rights.${table}`, 'must map names to rights, such as { "ada": { allow: ["fs/*"] } }');
  }
  return new Map(
    Object.entries(given).map(([name, right]) => [name, compileEntry(table, name, right, toolkits)]),
  );
};

const compileEntry = (table: TableName, name: string, right: Right, toolkits: Toolkits): CompiledRight => {
  const where = `rights.${table}[${JSON.stringify(name)}]`;
  if (name.trim() === "" || name.includes("*")) {
    throw rightsError(where, "must be one plain name; patterns with `*` are for tools");
  }
  checkFields(where, right, ["allow", "deny", "toolkits"]);
  for (const [field, list] of Object.entries(right)) {
    if (list === undefined || (Array.isArray(list) && list.every((entry) => typeof entry === "string")))
      continue;
    throw rightsError(`${where}.${field}`, 'must be a list of strings, such as ["fs/*"]');
  }
  const compiled = compileRight(`${tableColumns[table][0]} "${name}"`, right, toolkits);
  if (compiled.missing.length === 0) return compiled;
  const meant = nearest(compiled.missing[0]!, [...toolkits.keys()]);
  const hint = meant === undefined ? "" : `. Did you mean "${meant}"?`;
  throw rightsError(
    `${where}.toolkits`,
    `names "${compiled.missing[0]}", which the policy does not have${hint}`,
  );
};

/** The right of a caller, or why it has none. */
export const findRight = ({ table, rights }: CompiledTable, principal: Principal): CompiledRight | string => {
  const [kind, namesOf] = tableColumns[table];
  const names = namesOf(principal).flatMap((name) => name ?? []);
  if (names.length === 0) return `the caller has no ${kind}, and rights are defined by ${kind}`;
  const found = names.flatMap((name) => rights.get(name) ?? []);
  if (found.length === 0)
    return `no right is defined for ${kind} ${names.map((name) => `"${name}"`).join(", ")}`;
  return found.length === 1 ? found[0]! : uniteRights(found);
};

const uniteRights = (found: readonly CompiledRight[]): CompiledRight => ({
  who: found.map(({ who }) => who).join(", "),
  allows: (key) => found.some((right) => right.allows(key)),
  denies: (key) => found.some((right) => right.denies(key)),
  missing: [],
});

const rightsError = (where: string, why: string) =>
  new ConfigurationError("invalid_config", `${where} ${why.endsWith("?") ? why : `${why}.`}`);
