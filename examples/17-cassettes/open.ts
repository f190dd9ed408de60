import { Haft, type HaftOptions, http, tool } from "haft";

/** A runtime with one tool that calls a weather service. */
export const open = (options: Pick<HaftOptions, "layers" | "ledger" | "config">) => {
  const place = process.env.WEATHER_URL ?? "https://weather.example.com";
  return Haft.open({
    tools: [
      tool({
        name: "weather",
        description: "The weather in a city",
        input: { city: { type: "string" }, required: ["city"] },
        annotations: { readOnly: true },
        implementation: http({ url: `${place}/weather/{city}` }),
      }),
    ],
    principal: { agent: "guide", allow: ["*"] },
    httpEgress: { allow: [new URL(place).host] }, // only for a private network or this machine
    ...options,
  });
};
