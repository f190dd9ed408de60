import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, haft } from "./haft.ts";

const weather = fixture("weather.ts");

const configured = async (policy: object): Promise<string> => {
  const file = join(await mkdtemp(join(tmpdir(), "haft-explain-")), "haft.config.mjs");
  await writeFile(file, `export default { policy: ${JSON.stringify(policy)} };`);
  return file;
};

describe("haft explain --as", () => {
  it("prints the decision for a caller and the rules that were evaluated", async () => {
    const config = await configured({
      rules: [
        { id: "clerks", effect: "allow", roles: ["clerk"], tools: ["get_*"] },
        {
          id: "not-rome",
          effect: "deny",
          tools: ["get_weather"],
          when: { properties: { city: { const: "Rome" } } },
        },
      ],
    });
    const ask = (...words: string[]) =>
      haft(["explain", "get_weather", "-t", weather, "-c", config, "--as", "guide", ...words]);
    const yes = await ask("--role", "clerk");
    expect(yes.code).toBe(0);
    expect(yes.out).toContain('"guide" may call get_weather');
    expect(yes.out).toContain("rule clerks (allow): fits, decided");
    expect((await ask()).out).toContain('"guide" may not call get_weather: no rule allows it');
    expect((await ask("--role", "clerk", "--input", '{"city":"Rome"}')).out).toContain("denied by not-rome");
    const json = await ask(
      "--role",
      "clerk",
      "--user",
      "ada",
      "--tenant",
      "acme",
      "--input",
      '{"city":"Oslo"}',
      "--json",
    );
    expect(JSON.parse(json.out)).toMatchObject({
      answers: "get_weather",
      policy: {
        effect: "allow",
        ruleIds: ["clerks"],
        links: [{ agent: "guide", user: "ada", tenant: "acme" }],
      },
    });
  });

  it("reports arguments that do not fit the schema or are not JSON", async () => {
    const { out } = await haft([
      "explain",
      "get_weather",
      "-t",
      weather,
      "--as",
      "guide",
      "--input",
      '{"city":5}',
    ]);
    expect(out).toContain("do not match its schema");
    expect(out).toContain("/city must be string");
    const broken = await haft(["explain", "get_weather", "-t", weather, "--input", "{city}"]);
    expect([broken.code, broken.error]).toEqual([2, expect.stringContaining("--input must be JSON")]);
  });

  it("suggests a tool for an unknown name", async () => {
    const near = await haft(["explain", "get_wether", "-t", weather]);
    expect([near.code, near.out]).toEqual([1, ""]);
    expect(near.error).toContain('There is no tool named "get_wether". Did you mean get_weather?');
    const json = await haft(["explain", "nothing", "-t", weather, "--json"]);
    expect([json.code, JSON.parse(json.out).candidates]).toEqual([1, []]);
  });

  it("shows how untrusted content in the conversation changes the decision", async () => {
    const config = await configured({
      rules: [{ id: "calm", effect: "allow", tools: ["*"], tainted: false }],
    });
    const ask = (...words: string[]) =>
      haft(["explain", "get_weather", "-t", weather, "-c", config, ...words]);
    expect((await ask("--as", "guide", "--input", '{"city":"Oslo"}')).out).toContain("may call");
    expect((await ask("--as", "guide", "--input", '{"city":"Oslo"}', "--tainted")).out).toContain(
      "may not call",
    );
  });

  it("prints the decision of a policy engine without rules", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "haft-explain-")), "haft.config.mjs");
    const no = '{ effect: "deny", ruleIds: [], reason: "not on Mondays" }';
    await writeFile(file, `export default { policy: { visible: () => (${no}), decide: () => (${no}) } };`);
    const { out } = await haft(["explain", "get_weather", "-t", weather, "-c", file, "--as", "guide"]);
    expect(out).toContain("deny: not on Mondays");
  });
});
