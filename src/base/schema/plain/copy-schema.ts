import { isPlainObject } from "../../json/is-plain-object.ts";
import { toPointer } from "../../json/to-pointer.ts";
import { schemaLimits } from "../limits.ts";
import { refuseComplexity, refuseSchema } from "./refuse-schema.ts";

/** In the copy every object occurs once. Stops at the first exceeded limit. */
export const copySchema = (schema: unknown): unknown => {
  const path: (string | number)[] = [];
  let budget = schemaLimits.length;

  const take = (length: number): void => {
    budget -= length;
    if (budget < 0) refuseComplexity(toPointer(path), `it is longer than ${schemaLimits.length} characters`);
  };

  const step = (key: string | number, value: unknown): unknown => {
    path.push(key);
    const copy = visit(value);
    path.pop();
    return copy;
  };

  const copyObject = (value: object): unknown => {
    if (!isPlainObject(value))
      refuseSchema(toPointer(path), "it holds an instance of a class, not plain JSON");
    const copy: Record<string, unknown> = {};
    const keys = Object.keys(value);
    take(keys.length * 4);
    for (const key of keys) {
      const member = (value as Record<string, unknown>)[key];
      if (member === undefined) continue;
      take(key.length);
      const own = step(key, member);
      if (key !== "__proto__") copy[key] = own;
      else
        Object.defineProperty(copy, key, {
          value: own,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
    return copy;
  };

  const visit = (value: unknown): unknown => {
    if (typeof value === "string") take(value.length + 2);
    else if (typeof value === "number") {
      take(1);
      if (!Number.isFinite(value)) refuseSchema(toPointer(path), `${value} is not a number that JSON has`);
    } else if (typeof value === "object" && value !== null) {
      take(2);
      if (path.length >= schemaLimits.depth) {
        refuseComplexity(toPointer(path), `it is nested deeper than ${schemaLimits.depth} levels`);
      }
      if (!Array.isArray(value)) return copyObject(value);
      take(value.length);
      return value.map((item, index) => step(index, item));
    } else if (value !== null && typeof value !== "boolean") {
      refuseSchema(toPointer(path), `a ${typeof value} is not JSON`);
    }
    return value;
  };

  return visit(schema);
};
