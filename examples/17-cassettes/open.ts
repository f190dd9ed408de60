import { Haft, http, tool } from "haft";
import type { ToolLayer } from "haft/layers";

/** A runtime with one tool that asks a weather service. */
export const open = ({ layers, place = "127.0.0.1:1" }: { layers: readonly ToolLayer[]; place?: string }) =>
  Haft.open({
    tools: [
      tool({
        name: "weather",
        description: "The weather in a city",
        input: { city: { type: "string" }, required: ["city"] },
        annotations: { readOnly: true },
        implementation: http({ url: `http://${place}/weather/{city}` }),
      }),
    ],
    principal: { agent: "guide", allow: ["*"] },
    outside: { allow: [place] },
    layers,
  });
