import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import {
  booleanField,
  enumField,
  integerField,
  objectSchema,
  pathField,
  textField,
} from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileWriteTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "file-write",
    description:
      "Write a file: create a new one, overwrite an existing one, or append to it. A write takes effect completely or not at all. To change a file, read it first and pass its `hash` as `ifUnchanged`, so that changes by others are not lost.",
    input: objectSchema(
      {
        path: pathField,
        content: textField("Content to write."),
        encoding: enumField("Encoding of the content. Default: utf-8.", [
          "utf-8",
          "utf-16le",
          "latin1",
          "base64",
        ]),
        mode: enumField("Default: create, which fails if the file exists.", [
          "create",
          "overwrite",
          "append",
        ]),
        ifUnchanged: textField("SHA-256 that the file must still have: `hash` of file-read.", {
          pattern: "^[0-9a-fA-F]{64}$",
        }),
        makeFolders: booleanField("Create missing parent folders."),
      },
      ["path", "content"],
    ),
    output: objectSchema(
      {
        path: textField("Path to use in the next call."),
        bytes: integerField("New size of the file.", 0),
        created: booleanField("Whether the file was created."),
        hash: textField("SHA-256 of the whole file."),
      },
      ["path", "bytes", "created"],
    ),
    category: "file",
    risk: "medium",
    timeout: 10_000,
    annotations: {
      title: "Write a file",
      readOnly: false,
      idempotent: false,
      destructive: true,
      openWorld: false,
    },
    implementation: lazyImplementation(
      () => import("./files/file-writer.ts"),
      ({ fileWriter }) => fileWriter(settings),
    ),
  });
