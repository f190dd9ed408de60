import { expect, it } from "vitest";
import { undescribedParameters } from "./tool-registry.ts";

it("undescribedParameters returns parameters without a description in schema order", () => {
  const properties = {
    z: { type: "string" },
    reported: { type: "string", description: "What it means" },
    blank: { type: "string", description: "  " },
    odd: { type: "string", description: 7 },
    a: true,
  };
  expect(undescribedParameters({ type: "object", properties })).toEqual(["z", "blank", "odd", "a"]);
});

it("undescribedParameters uses the description of a referenced definition", () => {
  const properties = {
    one: { $ref: "#/$defs/Told" },
    two: { $ref: "#/definitions/Silent" },
    three: { $ref: "#/$defs/toString" },
    four: { $ref: "other.json" },
    five: { $ref: "#/$defs/Silent", description: "Said where it is used" },
  };
  const $defs = { Told: { description: "Told" }, Silent: {} };
  expect(undescribedParameters({ properties, $defs, definitions: $defs })).toEqual(["two", "three", "four"]);
});

it.each([[{}], [{ properties: [] }], [{ properties: null }], [{ properties: "x" }]])(
  "undescribedParameters returns nothing for a schema without parameters: %j",
  (schema) => {
    expect(undescribedParameters(schema)).toEqual([]);
  },
);
