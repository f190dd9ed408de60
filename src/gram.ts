export {
  readAgent,
  readTools,
  toAgentJson,
  type WriteAgentOptions,
  writeAgent,
} from "./gram/agent-file.ts";
export type {
  AgentReading,
  AgentSpec,
  ReadAgentOptions,
  ToolsReading,
} from "./gram/agents/agent-spec.ts";
export { type Diagnostic, formatDiagnostic } from "./gram/diagnostic.ts";
export type * from "./gram/document.ts";
export { type GramReading, type ReadGramOptions, readGram } from "./gram/read-gram.ts";
export {
  type SchemaToSignatureOptions,
  type SignatureText,
  schemaToSignature,
} from "./gram/schema-to-signature.ts";
export { readSignature, type SignatureReading, signatureOfPath } from "./gram/signature.ts";
export { signatureToOutputSchema, signatureToSchema } from "./gram/signature-to-schema.ts";
export type { Parameter, Signature, SignatureType } from "./gram/signature-types.ts";
export { type ValidateGramOptions, validateGram } from "./gram/validate-gram.ts";
export { type WriteGramOptions, writeGram } from "./gram/write-gram.ts";
