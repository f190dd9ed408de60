import { toPointer } from "../../../base/json/to-pointer.ts";
import type { Json } from "../../../types/json.ts";
import type { Position, Property } from "../document.ts";
import type { DiagnosticCollector } from "../signature/diagnostic-collector.ts";
import { valueToJson } from "../signature/value-json.ts";

export interface RecordFields {
  readonly values: Readonly<Record<string, Json>>;
  /** Without a key, the whole record is wrong. `message` has no full stop. */
  readonly complain: (code: string, key: string | undefined, message: string, hint: string) => void;
}

export const recordFieldsOf = (
  properties: readonly Property[],
  at: Position | undefined,
  rename: Readonly<Record<string, string>>,
  problems: DiagnosticCollector,
): RecordFields => {
  const values: Record<string, Json> = {};
  const places = new Map<string, Position | undefined>();
  for (const { key, value, at: from } of properties) {
    const name = Object.hasOwn(rename, key) ? rename[key]! : key;
    const place = from ?? value.at ?? at;
    const read = valueToJson(value);
    if (places.has(name) || name === "__proto__") {
      problems.add(
        "duplicate-key",
        place,
        `The key "${key}" is given twice, or under two names`,
        "Remove one.",
      );
    } else if ("json" in read) values[name] = read.json;
    else
      problems.add(
        "wrong-value",
        value.at ?? place,
        `"${key}" ${read.why}`,
        "Write a text, a number, true, false, a list, a map, or json`…`.",
      );
    places.set(name, place);
  }
  return {
    values,
    complain: (code, key, message, hint) =>
      problems.add(code, (key === undefined ? undefined : places.get(key)) ?? at, message, hint),
  };
};

export const recordFieldsOfJson = (
  values: Readonly<Record<string, Json>>,
  pointer: string,
  problems: DiagnosticCollector,
): RecordFields => ({
  values,
  complain: (code, key, message, hint) => {
    const place = key === undefined || !Object.hasOwn(values, key) ? pointer : pointer + toPointer([key]);
    problems.add(code, undefined, place === "" ? message : `${message} (at ${place})`, hint);
  },
});
