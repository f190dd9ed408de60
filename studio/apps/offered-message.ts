import { createContext } from "react";

/** Takes over a text that an App offers for a chat, for the person to change and to send. Nothing where there is no chat. */
export const OfferedMessageContext = createContext<((text: string) => void) | undefined>(undefined);
