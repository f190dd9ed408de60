import type { JsonObject } from "../../../base/json/is-object.ts";
import { toPointer } from "../../../base/json/to-pointer.ts";
import { compilePattern } from "../../../policy/compile-pattern.ts";
import { ToolError } from "../../../types/errors.ts";
import type { Issue } from "../../../types/json.ts";
import { sanitizeUntrustedText } from "../transport/sanitize-foreign-text.ts";

export const issueAt = (pointer: string, what: string): Issue => {
  const where = pointer === "" ? "it" : sanitizeUntrustedText(pointer);
  return { pointer, message: `${where} ${what}` };
};

const atPointer = <A>(field: string, at: number, value: A): [string, A] => [toPointer([field, at]), value];

export const patternIssues = (fields: JsonObject): readonly Issue[] => {
  const named: [string, string][] = [];
  for (const field of ["include", "exclude"]) {
    const list = fields[field];
    if (Array.isArray(list)) named.push(...list.map((each, at) => atPointer<string>(field, at, each)));
  }
  for (const pattern of Object.keys((fields.terms as object | undefined) ?? {})) {
    named.push([toPointer(["terms", pattern]), pattern]);
  }
  return named.flatMap(([pointer, pattern]) => {
    try {
      compilePattern(pattern);
      return pattern.includes("/")
        ? [issueAt(pointer, "matches names without the server's id, so it must not contain a slash")]
        : [];
    } catch (error) {
      return ToolError.is(error) ? [issueAt(pointer, error.failure.message)] : [];
    }
  });
};

const variablePattern = /^[^=\s\0]+$/;

export const environmentIssues = ({ command, args, env, inheritEnv }: JsonObject): readonly Issue[] => {
  const issues: Issue[] = [];
  const texts: [string, unknown][] = [["/command", command]];
  if (Array.isArray(args)) texts.push(...args.map((each, at) => atPointer("args", at, each)));
  for (const [pointer, each] of texts) {
    if (typeof each === "string" && each.includes("\0"))
      issues.push(issueAt(pointer, "holds a NUL character"));
  }
  for (const name of Object.keys((env as object | undefined) ?? {})) {
    if (!variablePattern.test(name))
      issues.push(issueAt(toPointer(["env", name]), "is not the name of a variable"));
  }
  if (Array.isArray(inheritEnv)) {
    inheritEnv.forEach((name, at) => {
      if (!variablePattern.test(String(name)))
        issues.push(
          issueAt(
            toPointer(["inheritEnv", at]),
            "is not the name of a variable; list the variables to pass on by name",
          ),
        );
    });
  }
  return issues;
};

const schemesByTransport: Readonly<Record<string, readonly string[]>> = {
  http: ["https:", "http:"],
  sse: ["https:", "http:"],
  websocket: ["wss:", "ws:"],
};

export const addressIssues = ({ url, transport }: JsonObject): readonly Issue[] => {
  if (typeof url !== "string") return [];
  const allowed =
    typeof transport === "string" && Object.hasOwn(schemesByTransport, transport)
      ? (schemesByTransport[transport] as readonly string[])
      : [...new Set(Object.values(schemesByTransport).flat())];
  if (!URL.canParse(url)) return [issueAt("/url", "must be an absolute URL, such as https://host/mcp")];
  const { protocol, username, password } = new URL(url);
  if (!allowed.includes(protocol)) return [issueAt("/url", `must begin with ${allowed.join(" or ")}`)];
  if (username !== "" || password !== "")
    return [issueAt("/url", "contains a user name or a password; use a secret in /headers instead")];
  return [];
};
