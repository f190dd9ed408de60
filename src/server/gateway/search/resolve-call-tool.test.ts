import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../../test/kit/any-text.ts";
import { resolveCallTool } from "./resolve-call-tool.ts";
import { searchToolNames } from "./short-list.ts";

const meant = (args: unknown, more: object = {}) =>
  resolveCallTool({ name: "call_tool", arguments: args, ...more });

describe("call of call_tool", () => {
  it("resolves to the named call with its exact arguments", () => {
    const text = '{ "a": 1.50, "b": 9007199254740993, "a ": "\\u0041" }';
    expect(meant(`{"name": "files/read", "arguments": ${text}}`)).toEqual({
      ok: true,
      params: { name: "files/read", arguments: text },
    });
    expect(meant(`{"arguments":${text},"name":"x"}`)).toMatchObject({ params: { arguments: text } });
  });

  it("keeps all other fields of the request", () => {
    const _meta = { progressToken: 1, "haft/idempotencyKey": "k" };
    expect(meant('{"name":"x","arguments":{}}', { _meta, task: {} })).toEqual({
      ok: true,
      params: { name: "x", arguments: "{}", _meta, task: {} },
    });
  });

  it("accepts a value instead of text", () => {
    expect(meant({ name: "x", arguments: { a: [1] } })).toMatchObject({ params: { arguments: { a: [1] } } });
  });

  it.each([
    ["missing", '{"name":"x"}', undefined],
    ["null", '{"name":"x","arguments":null}', undefined],
    ["text of an object", String.raw`{"name":"x","arguments":" {\"a\":1}"}`, ' {"a":1}'],
    ["missing in a value", { name: "x" }, undefined],
    ["text in a value", { name: "x", arguments: '{"a":1}' }, '{"a":1}'],
  ])("accepts arguments that are %s", (_, args, given) => {
    expect(meant(args)).toEqual({ ok: true, params: { name: "x", arguments: given } });
  });

  it.each([
    ["a list", '{"name":"x","arguments":[{}]}', "arguments, an object with the tool's input"],
    ["a number", '{"name":"x","arguments":1}', "arguments, an object with the tool's input"],
    [
      "text that is not an object",
      '{"name":"x","arguments":"a=1"}',
      "arguments, an object with the tool's input",
    ],
    ["a list as a value", { name: "x", arguments: [] }, "arguments, an object with the tool's input"],
    ["no name", '{"arguments":{}}', "needs the name of a tool"],
    ["an empty name", '{"name":"","arguments":{}}', "needs the name of a tool"],
    ["a name that is a list", '{"name":["x"],"arguments":{}}', "needs the name of a tool"],
    ["two names", '{"name":"x","name":"y","arguments":{}}', "cannot be read"],
    ["duplicate arguments", '{"name":"x","arguments":{"a":1},"arguments":{"a":2}}', "cannot be read"],
    ["an escaped duplicate key", String.raw`{"name":"x","arguments":{},"\u006eame":"y"}`, "cannot be read"],
    ["a prototype key", '{"name":"x","arguments":{},"__proto__":{"name":"y"}}', "cannot be read"],
    ["an argument next to the arguments", '{"name":"x","city":"Oslo"}', "the tool's input into arguments"],
    ["truncated text", '{"name":"x","arguments":{"a":', "cannot be read"],
    ["a value that is not an object", "false", "needs the name of a tool"],
    ["undefined", undefined, "needs the name of a tool"],
  ])("is refused for %s with a remedy", (_, args, why) => {
    const said = meant(args);
    expect(said).toEqual({ ok: false, problem: expect.stringContaining(why) });
  });

  it.each(searchToolNames)("does not resolve to %s, however its name is escaped", (name) => {
    const escaped = `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    for (const written of [name, escaped]) {
      expect(meant(`{"name":"${written}","arguments":{"name":"x","arguments":{}}}`)).toEqual({
        ok: false,
        problem: expect.stringContaining(`Call ${name} directly`),
      });
    }
  });

  it("keeps the name and the arguments for any input", () => {
    fc.assert(
      fc.property(anyText(), fc.dictionary(anyText(), fc.jsonValue()), (name, input) => {
        fc.pre(name !== "" && !searchToolNames.includes(name as never));
        const text = JSON.stringify(input);
        const said = meant(`{"arguments":${text},"name":${JSON.stringify(name)}}`);
        // A name with an unpaired surrogate is not strict JSON.
        if (name.isWellFormed()) expect(said).toEqual({ ok: true, params: { name, arguments: text } });
      }),
    );
  });
});

it("leaves any other call unchanged", () => {
  const params = { name: "other", arguments: '{"name":"x","arguments":{}}' };
  expect(resolveCallTool(params)).toEqual({ ok: true, params });
});
