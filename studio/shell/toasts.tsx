import * as Toast from "@radix-ui/react-toast";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { ForeignText } from "../components/foreign-text.tsx";

type ToastTone = "plain" | "bad";
type ShowToast = (message: string, tone?: ToastTone) => void;

const ToastContext = createContext<ShowToast>(() => {});

export const useToast = (): ShowToast => useContext(ToastContext);

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<
    readonly { readonly id: number; readonly message: string; readonly tone: ToastTone }[]
  >([]);
  const showToast = useCallback<ShowToast>((message, tone = "plain") => {
    setToasts((before) => [...before.slice(-3), { id: performance.now(), message, tone }]);
  }, []);
  return (
    <ToastContext value={showToast}>
      <Toast.Provider duration={6_000} swipeDirection="right">
        {children}
        {toasts.map(({ id, message, tone }) => (
          <Toast.Root
            key={id}
            type={tone === "bad" ? "foreground" : "background"}
            onOpenChange={(isOpen) => !isOpen && setToasts((all) => all.filter((each) => each.id !== id))}
            className={`panel flex items-start gap-3 border-l-4 p-3 shadow-lg ${tone === "bad" ? "border-l-bad" : "border-l-accent"}`}
          >
            <Toast.Description className="min-w-0 grow">
              <ForeignText text={message} />
            </Toast.Description>
            <Toast.Close className="button button-quiet h-7 px-1.5 text-xs">Dismiss</Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2" />
      </Toast.Provider>
    </ToastContext>
  );
};
