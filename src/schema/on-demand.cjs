// CommonJS, because only its `require` is both synchronous and followed by every bundler. Each is loaded when it is
// first asked for: few programs need any of them, and together they are larger than the rest of the root entry.

exports.loadRe2js = () => require("re2js");

exports.loadFormats = () => require("ajv-formats/dist/formats.js").fullFormats;

exports.loadEffectSchema = () => ({ schema: require("effect/Schema"), ast: require("effect/SchemaAST") });

exports.loadDraft07 = () => [require("ajv/dist/refs/json-schema-draft-07.json")];

exports.loadDraft2020 = () => [
  require("ajv/dist/refs/json-schema-2020-12/schema.json"),
  require("ajv/dist/refs/json-schema-2020-12/meta/applicator.json"),
  require("ajv/dist/refs/json-schema-2020-12/meta/content.json"),
  require("ajv/dist/refs/json-schema-2020-12/meta/core.json"),
  require("ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json"),
  require("ajv/dist/refs/json-schema-2020-12/meta/meta-data.json"),
  require("ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json"),
  require("ajv/dist/refs/json-schema-2020-12/meta/validation.json"),
];
