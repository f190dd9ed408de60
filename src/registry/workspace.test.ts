import { describe, expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import { ToolDefinitionError, ToolRegistrationError } from "../types/errors.ts";
import type { AnyTool } from "../types/tool.ts";
import { workspace } from "./workspace.ts";

const named = (name: string): AnyTool => {
  const made = tool({
    name: "made",
    description: "Does what its name says",
    input: { type: "object" },
    run: () => 1,
  });
  return { ...made, spec: { ...made.spec, name } };
};

describe("workspace", () => {
  it("stores the tools of every namespace under simple names", () => {
    const read = named("read");
    const built = workspace()
      .toolbox("fs")
      .add(read)
      .add(named("write"))
      .toolbox("net")
      .add(named("get"), named("read"))
      .build();
    expect([...built.toolboxes.keys()]).toEqual(["fs", "net"]);
    expect([...(built.toolboxes.get("net")?.keys() ?? [])]).toEqual(["get", "read"]);
    expect(built.toolboxes.get("fs")?.get("read")).toBe(read);
    expect(Object.isFrozen(built)).toBe(true);
  });

  it("continues a namespace that is opened again", () => {
    const builder = workspace()
      .toolbox("fs")
      .add(named("read"))
      .toolbox("net")
      .toolbox("fs")
      .add(named("write"));
    expect([...(builder.build().toolboxes.get("fs")?.keys() ?? [])]).toEqual(["read", "write"]);
    expect(() => builder.add(named("read"))).toThrow(ToolRegistrationError);
  });

  it("returns a value that does not change with the builder", () => {
    const builder = workspace().toolbox("fs").add(named("read"));
    const built = builder.build();
    builder.add(named("write")).toolbox("net");
    expect(built.toolboxes.size).toBe(1);
    expect(built.toolboxes.get("fs")?.size).toBe(1);
  });

  it.each(["", " ", "a/b", "a b", "пр", "__proto__", "constructor", "x".repeat(200)])(
    "rejects the namespace %j",
    (namespace) => {
      const open = () => workspace().toolbox(namespace);
      expect(open).toThrow(ToolDefinitionError);
      expect(open).toThrow(/is not a valid namespace/);
    },
  );

  it.each(["", "fs/read", "re ad", "__proto__"])("rejects the simple name %j", (name) => {
    expect(() => workspace().toolbox("fs").add(named(name))).toThrow(
      expect.objectContaining({ code: "refused_name" }),
    );
  });

  it("rejects a second tool of the same name", () => {
    expect(() => workspace().toolbox("fs").add(named("read")).add(named("read"))).toThrow(
      expect.objectContaining({ code: "duplicate_tool", toolName: "fs/read" }),
    );
  });

  it("rejects a lookalike name and reports both names", () => {
    const twins = () => workspace().toolbox("fs").add(named("read_file")).add(named("Read-FiIe"));
    expect(twins).toThrow(expect.objectContaining({ code: "refused_name" }));
    expect(twins).toThrow(/"fs\/Read-FiIe".*"fs\/read_file"/);
  });
});
