// CommonJS, because only its `require` is both synchronous and followed by every bundler. Each is loaded when it is
// first asked for: few programs need any of them, and together they are larger than the rest of the root entry.

exports.loadRe2js = () => require("re2js");

exports.loadEffectSchema = () => ({ schema: require("effect/Schema"), ast: require("effect/SchemaAST") });

exports.loadMetaschemas = () => require("./metaschemas.json");
