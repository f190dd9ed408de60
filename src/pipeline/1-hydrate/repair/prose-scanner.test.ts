import { expect, it } from "vitest";
import { compileSchema } from "../../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { repair } from "./repair.ts";

const city: JsonSchema = {
  type: "object",
  properties: {
    city: { type: "string" },
    force: { type: "boolean" },
    max_days: { type: "integer" },
  },
  required: ["city"],
};
const call = '{"city":"Oslo"}';

const repaired = (given: string, tool = "weather.get_city"): unknown => {
  const result = repair({ text: given, schema: city, validate: compileSchema(city), tool });
  return result.ok ? result.value : `refused: ${result.why}`;
};

it.each([
  `Sure! ${call}`,
  `Here are the arguments:\n\`\`\`json\n${call}\n\`\`\``,
  `${call}\n\nLet me know.`,
  `<think>I should use Rome {maybe}, force: true, not Oslo</think>${call}`,
  `<thinking>\n{"city":"Rome"}\n</thinking>\n\n${call}`,
  `[THINK]{"city":"Rome"}[/THINK]${call}`,
  `<!-- a note -->${call}`,
  `// the arguments\n${call}`,
  `/* the arguments */ ${call}`,
  `see https://a.b/c ${call}`,
  `<tool_call>\n${call}\n</tool_call>`,
  `<|python_tag|>${call}`,
  `[TOOL_CALLS]${call}`,
  `~~~json\n${call}\n~~~`,
  `get_city(${call})`,
  `weather.get_city(${call})`,
  `functions.get_city:0${call}`,
  `functions.get_city:0<|tool_call_argument_begin|>${call}`,
  `<function=get_city>${call}</function>`,
  `[get_city] ${call}`,
  `[TOOL_CALLS]get_city[ARGS]${call}`,
  `Action: get_city\nAction Input: ${call}`,
  `get_city ${call}`,
])("extracts the call from %j", (given) => {
  expect(repaired(given)).toEqual({ city: "Oslo" });
});

it.each([
  `${call} \`force\`: true`,
  `${call} ‘force’: true`,
  `${call} Force: true`,
  `${call} FORCE = true`,
  `${call} --force=true`,
  `${call} --force`,
  `${call} **force**: true`,
  `${call} *force* : true`,
  `${call} (force true)`,
  `${call} Max Days: 5`,
  `${call} maxDays=5`,
  `${call} max days 5`,
  `max-days: 5 ${call}`,
  `<force>true</force> ${call}`,
  `'note': 1 ${call}`,
])("refuses %j because a member is outside of the object", (given) => {
  expect(repaired(given)).toBe("refused: a member is outside the object");
});

it.each([
  `<think>maybe ${call}`,
  `<think>${call}</think>`,
  `<think>maybe ${call}?</think>I need to ask the user first.`,
  `<think>a <think>b</think> ${call}`,
  `maybe ${call}</think>`,
  `${call}<think>or Rome?</think>`,
  `[THINK]${call}[/THINK]`,
  `<|channel|>analysis<|message|>${call}`,
  `<!-- ${call} -->`,
  `// ${call}`,
  `# ${call}`,
  `/* ${call} */`,
  `~~${call}~~`,
  `Example: ${call}`,
  `Error: cannot parse ${call}`,
  `I won’t call this tool with ${call}.`,
  `${call} is wrong, do not send it`,
])("refuses %j because it may not be a call", (given) => {
  expect(repaired(given)).toMatch(/^refused/);
});

it.each([
  `delete_city(${call})`,
  `delete_city (${call})`,
  `remove(${call})`,
  `other.get_city(${call})`,
  `functions.delete_city:0${call}`,
  `functions.delete_city:0<|tool_call_argument_begin|>${call}`,
  `<function=delete_city>${call}</function>`,
  `<invoke name="delete_city">${call}`,
  `<delete_city>${call}</delete_city>`,
  `<tool_response>${call}`,
  `[delete_city] ${call}`,
  `[TOOL_CALLS]delete_city[ARGS]${call}`,
  `Action: remove\nAction Input: ${call}`,
  `function<｜tool▁sep｜>remove\n\`\`\`json\n${call}\n\`\`\``,
  `delete_city ${call}`,
  `u${call}`,
])("refuses %j because it names another tool", (given) => {
  expect(repaired(given)).toBe("refused: it follows the name of another tool");
});
