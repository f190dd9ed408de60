import { checkFields } from "../base/json/check-fields.ts";
import { isObject } from "../base/json/json-value.ts";
import { frameworkSessions } from "../runtime/session/framework-sessions.ts";
import type { Session } from "../runtime/session.ts";
import { ConfigurationError } from "../types/errors.ts";

/** Checks the arguments of a function that adapts a session to a framework. */
export const checkIntegration = (
  name: string,
  session: Session,
  options: object = {},
  fields: readonly string[] = ["answeredBy"],
): void => {
  if (!isSession(session)) {
    throw new ConfigurationError(
      "invalid_config",
      `${name} requires a session of the runtime. Pass a session: haft.session({ id }).`,
    );
  }
  checkFields(`The options of ${name}`, options, fields);
  frameworkSessions.add(session);
};

/** A common mistake is to pass the runtime, which has the method `session`. */
const isSession = (value: unknown): boolean => isObject(value) && typeof value.session !== "function";
