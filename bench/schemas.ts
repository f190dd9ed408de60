import { parseArgs } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchema } from "../src/base/schema/compile-schema.ts";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });

const flat = {
  type: "object",
  properties: {
    location: { type: "string" },
    format: { enum: ["celsius", "fahrenheit"] },
    days: { type: "integer" },
    detailed: { type: "boolean" },
  },
  required: ["location", "format", "days", "detailed"],
  additionalProperties: false,
};
const one = { location: "San Francisco, CA", format: "celsius", days: 3, detailed: true };
const cases = [
  { name: "one object of 4 members", schema: flat, value: one as unknown, calls: 200_000 },
  {
    name: "a list of 20 such objects",
    schema: { type: "object", properties: { items: { type: "array", items: flat } }, required: ["items"] },
    value: { items: Array.from({ length: 20 }, () => ({ ...one })) },
    calls: 20_000,
  },
];

type Holds = (value: unknown) => boolean;
const engines: Record<string, (schema: object) => Holds> = {
  "Haft, defaults and all": (schema) => {
    const validate = compileSchema(schema as never);
    return (value) => validate(value).ok;
  },
  "ajv, own properties only": (schema) => new Ajv2020({ ownProperties: true }).compile(schema) as Holds,
  "ajv, as it comes": (schema) => new Ajv2020().compile(schema) as Holds,
};

const rounds = 11;
const results = cases.flatMap(({ name, schema, value, calls }) => {
  const ready = Object.entries(engines).map(([engine, make]) => {
    const begin = performance.now();
    const holds = make(schema);
    if (!holds(value) || holds({})) throw new Error(`${engine} is wrong about ${name}`);
    return { engine, holds, first: performance.now() - begin, times: [] as number[] };
  });
  for (let done = -4; done < rounds; done += 1) {
    for (const { holds, times } of ready) {
      const begin = performance.now();
      for (let count = 0; count < calls; count += 1) holds(value);
      if (done >= 0) times.push(((performance.now() - begin) / calls) * 1e6);
    }
  }
  return ready.map(({ engine, first, times }) => ({ name, engine, first, ...spread(times) }));
});

if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const rows = results.map((each) => [
    each.name,
    each.engine,
    round(each.median),
    round(each.min),
    round(each.max),
    round(each.first),
  ]);
  console.log(table([["value", "engine", "ns", "min", "max", "first use, ms"], ...rows]));
}
