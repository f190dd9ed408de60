import { describe, expect, it } from "vitest";
import { isBareProperties, isJsonSchema, readBareProperties } from "../read-schema.ts";

describe("bare properties", () => {
  it("become an object schema with its required list", () => {
    const parameters = {
      location: { type: "string", description: "The name of the city e.g. San Francisco, CA" },
      format: {
        type: "string",
        enum: ["celsius", "fahrenheit"],
        description: "The format to return the weather in",
      },
      required: ["location", "format"],
    };
    expect(isBareProperties(parameters)).toBe(true);
    expect(readBareProperties(parameters)).toEqual({
      type: "object",
      properties: {
        location: { type: "string", description: "The name of the city e.g. San Francisco, CA" },
        format: {
          type: "string",
          enum: ["celsius", "fahrenheit"],
          description: "The format to return the weather in",
        },
      },
      required: ["location", "format"],
      additionalProperties: false,
    });
  });

  it("may have the names of JSON Schema keywords", () => {
    const parameters = {
      type: { type: "string" },
      properties: { type: "object" },
      required: { type: "boolean" },
      enum: { description: "Which one" },
      const: { type: "string" },
    };
    expect(isJsonSchema(parameters)).toBe(false);
    expect(isBareProperties(parameters)).toBe(true);
    expect(readBareProperties(parameters)).toEqual({
      type: "object",
      properties: parameters,
      additionalProperties: false,
    });
  });

  it("are rejected when required lists an unknown property", () => {
    expect(() => readBareProperties({ city: { type: "string" }, required: ["town"] })).toThrow(
      '/required names "town", which is none of city.',
    );
  });

  it.each([
    { type: "object" },
    { type: ["object", "null"] },
    { properties: { type: { type: "string" } } },
    { properties: {} },
    { $ref: "#/$defs/a" },
    { anyOf: [] },
    { enum: ["a"] },
    { const: 1 },
  ])("are distinguished from the JSON Schema %j", (schema) => {
    expect(isJsonSchema(schema)).toBe(true);
  });

  it.each([
    {},
    { a: 1 },
    { a: {} },
    { a: { type: 1 } },
    { required: ["a"] },
    { title: "a", a: { type: "string" } },
  ])("do not match %j", (data) => {
    expect(isJsonSchema(data)).toBe(false);
    expect(isBareProperties(data)).toBe(false);
  });
});
