import { Haft, tool } from "haft";
import { code } from "haft/sandbox";

const written = tool({
  name: "written",
  description: "Is text",
  input: { type: "object", properties: { n: { type: "integer" } } },
  implementation: code({ language: "typescript", source: "const n: number = input.n; return n * 2" }),
});

const main = async () => {
  const haft = await Haft.open({ tools: [written], principal: { agent: "app", allow: ["*"] } });
  const reported = await haft.call("written", { n: 4 }).catch((error) => error.message);
  // Not closed: an idle worker does not keep the process alive.
  console.log(JSON.stringify({ reported }));
};

main();
