import { describe, expect, it } from "vitest";
import { readParameterList } from "./parameter-list.ts";

describe("parameter list", () => {
  it("becomes one closed object with defaults, enums and nested schemas", () => {
    const list = [
      { name: "query", type: "string", description: "Search query", required: true },
      {
        name: "maxResults",
        type: "number",
        description: "Max results to return",
        required: false,
        default: 5,
      },
      { name: "sort", type: "string", enum: ["new", "old"] },
      {
        name: "filters",
        type: "array",
        items: { type: "object", properties: { field: { type: "string" } } },
      },
      { name: "range", type: "object", properties: { from: { type: "number" } }, required: ["from"] },
    ];
    expect(readParameterList(list)).toEqual({
      type: "object",
      properties: {
        query: { type: "string", description: "Search query" },
        maxResults: { type: "number", description: "Max results to return", default: 5 },
        sort: { type: "string", enum: ["new", "old"] },
        filters: { type: "array", items: { type: "object", properties: { field: { type: "string" } } } },
        range: { type: "object", properties: { from: { type: "number" } }, required: ["from"] },
      },
      required: ["query"],
      additionalProperties: false,
    });
  });

  it("becomes an object without properties when it is empty", () => {
    expect(readParameterList([])).toEqual({ type: "object", properties: {}, additionalProperties: false });
  });

  it.each([
    [[{ type: "string" }], "at /0 has no name"],
    [[{ name: "a" }], '"a" (at /0) has no type'],
    [["a"], "at /0 is not an object"],
    [[{ name: "a", type: "string", required: "yes" }], "is not true or false"],
    [
      [
        { name: "a", type: "string" },
        { name: "a", type: "number" },
      ],
      '"a" is listed twice (at /1)',
    ],
    [[{ name: "__proto__", type: "string" }], 'must not be called "__proto__"'],
  ])("is rejected with the position of the error: %j", (list, message) => {
    expect(() => readParameterList(list)).toThrow(message);
  });
});
