import { expect, it } from "vitest";
import { paramHeadersOf, readParamHeaders } from "./param-headers.ts";

const marked = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
const object = (properties: object) => ({ type: "object", properties });

it("finds marks at any depth of plain properties", () => {
  const schema = object({
    a: marked("A"),
    b: object({ c: marked("C-c", "integer") }),
    d: { type: "string" },
  });
  const headers = readParamHeaders(schema);
  expect(headers).toEqual([
    { path: ["a"], header: "Mcp-Param-A" },
    { path: ["b", "c"], header: "Mcp-Param-C-c" },
  ]);
  expect(paramHeadersOf(headers ?? [], { a: "x", b: { c: 5 } })).toEqual({
    "Mcp-Param-A": "x",
    "Mcp-Param-C-c": "5",
  });
});

it.each([
  ["at the root", { ...object({}), "x-mcp-header": "A" }],
  ["of the wrong type", object({ a: marked("A", "number") })],
  ["without a type", object({ a: { "x-mcp-header": "A" } })],
  ["with an empty name", object({ a: marked("") })],
  ["with an invalid header name", object({ a: marked("A: b\r\nEvil") })],
  ["with a repeated name", object({ a: marked("A"), b: marked("a") })],
  ["inside an array", object({ a: { type: "array", items: marked("A") } })],
  ["inside a choice", object({ a: { anyOf: [{ type: "null" }, marked("A")] } })],
  ["inside a definition", { ...object({}), $defs: { a: marked("A") } }],
])("returns undefined for a mark %s", (_, schema) => {
  expect(readParamHeaders(schema)).toBeUndefined();
});

it.each([
  ["plain text", "plain text"],
  ["", "=?base64??="],
  [" padded", "=?base64?IHBhZGRlZA==?="],
  ["line\nbreak", "=?base64?bGluZQpicmVhaw==?="],
  ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
  [true, "true"],
  [12, "12"],
])("encodes %j as %j", (value, header) => {
  const headers = [{ path: ["a"], header: "Mcp-Param-A" }];
  expect(paramHeadersOf(headers, { a: value })).toEqual({ "Mcp-Param-A": header });
});

it.each([null, undefined, {}, [1], Number.NaN, 2 ** 60])("omits the header for %j", (value) => {
  expect(paramHeadersOf([{ path: ["a"], header: "A" }], { a: value })).toEqual({});
});
