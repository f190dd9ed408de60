import { readFile } from "node:fs/promises";
import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { nearest } from "../../base/text/nearest.ts";
import { readPrincipal } from "../../runtime/read-principal.ts";
import type { Principal } from "../../types/principal.ts";
import { CommandUsageError } from "../command.ts";

export const expectedDecisions = ["allow", "approve", "deny"] as const;

export interface PolicyCase {
  readonly name: string;
  readonly caller: Partial<Principal>;
  readonly tool: string;
  /** Default: the best decision that any arguments could get. */
  readonly arguments?: unknown;
  readonly tainted: boolean;
  readonly expect: (typeof expectedDecisions)[number];
  readonly rules?: readonly string[];
}

const policyCaseFields = ["name", "caller", "tool", "arguments", "tainted", "expect", "rules"];

export const readPolicyCases = async (file: string): Promise<readonly PolicyCase[]> => {
  const text = await readFile(file, "utf8").catch(() => {
    throw new CommandUsageError(`${file} cannot be read.`);
  });
  const reading = readJson(text);
  if (!reading.ok) throw new CommandUsageError(`${file} is not JSON: ${reading.problem.message}`);
  const listed = isObject(reading.value) ? reading.value.cases : reading.value;
  if (!Array.isArray(listed) || listed.length === 0) {
    throw new CommandUsageError(
      `${file} must contain a list of cases, such as [{ "tool": "refund", "arguments": { "euros": 900 }, "expect": "approve" }].`,
    );
  }
  return listed.map((each, index) => readPolicyCase(each, `${file}: case ${index + 1}`));
};

const readPolicyCase = (given: unknown, where: string): PolicyCase => {
  if (!isObject(given)) throw new CommandUsageError(`${where} is not an object.`);
  for (const field of Object.keys(given)) {
    if (policyCaseFields.includes(field)) continue;
    const meant = nearest(field, policyCaseFields);
    const hint =
      meant === undefined ? `The fields are ${policyCaseFields.join(", ")}.` : `Did you mean "${meant}"?`;
    throw new CommandUsageError(`${where} has an unknown field "${field}". ${hint}`);
  }
  const { name, caller, tool, tainted = false, expect, rules } = given as JsonObject;
  if (typeof tool !== "string" || tool === "") throw new CommandUsageError(`${where} needs a "tool".`);
  if (!expectedDecisions.includes(expect as PolicyCase["expect"])) {
    throw new CommandUsageError(`${where} needs "expect": one of ${expectedDecisions.join(", ")}.`);
  }
  if (typeof tainted !== "boolean") throw new CommandUsageError(`${where}: "tainted" must be true or false.`);
  if (rules !== undefined && !(Array.isArray(rules) && rules.every((id) => typeof id === "string"))) {
    throw new CommandUsageError(`${where}: "rules" must be a list of rule ids.`);
  }
  return {
    name: typeof name === "string" && name !== "" ? name : tool,
    caller: readCaseCaller(caller, where),
    tool,
    ...("arguments" in given ? { arguments: given.arguments } : {}),
    tainted,
    expect: expect as PolicyCase["expect"],
    ...(rules === undefined ? {} : { rules: rules as readonly string[] }),
  };
};

const readCaseCaller = (caller: unknown, where: string): Partial<Principal> => {
  if (caller === undefined) return {};
  if (typeof caller === "string" && caller !== "") return { agent: caller };
  if (!isObject(caller))
    throw new CommandUsageError(`${where}: "caller" must be the name of an agent, or a principal.`);
  try {
    readPrincipal({ agent: "case", ...caller } as Principal);
  } catch (error) {
    throw new CommandUsageError(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return caller as Partial<Principal>;
};
