import type { CallContext } from "../../types/call.ts";

/** Which variant answered, for the ledger. */
export const noteVariant = ({ note }: CallContext, variant: string, more?: string): void =>
  note(`variant: "${variant}"${more === undefined ? "" : `, ${more}`}`);
