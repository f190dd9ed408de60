import { Modal } from "./modal.tsx";

const groups = [
  {
    name: "All pages",
    keys: [
      ["Ctrl K", "Go to a page, a tool, a call or a run"],
      ["?", "Keyboard shortcuts"],
      ["Tab", "Next control"],
      ["Esc", "Close the dialog"],
    ],
  },
  {
    name: "Tables",
    keys: [
      ["↑ ↓", "Previous row, next row"],
      ["PgUp PgDn", "Previous screen, next screen"],
      ["Home End", "First row, last row"],
      ["Enter", "Open the row"],
    ],
  },
  {
    name: "Approvals",
    keys: [
      ["j k", "Next request, previous request"],
      ["a", "Approve"],
      ["d", "Deny with a reason"],
      ["e", "Edit the arguments"],
    ],
  },
  {
    name: "Arguments and results",
    keys: [["← →", "Collapse or expand a part of JSON"]],
  },
  {
    name: "Chats",
    keys: [
      ["Enter", "Send"],
      ["Shift Enter", "New line"],
    ],
  },
] as const;

export const Keys = ({ onClose }: { readonly onClose: () => void }) => (
  <Modal label="Keyboard shortcuts" onClose={onClose} className="w-[34rem] max-w-[calc(100vw-2rem)]">
    <div className="flex items-center justify-between border-b border-line px-4 py-2">
      <h2>Keyboard shortcuts</h2>
      <button type="button" className="button button-quiet" onClick={onClose}>
        Close
      </button>
    </div>
    <div className="flex flex-col gap-4 p-4">
      {groups.map(({ name, keys }) => (
        <section key={name} aria-label={name}>
          <h3 className="label mb-1">{name}</h3>
          <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1">
            {keys.map(([key, what]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd className="whitespace-nowrap">{key}</kbd>
                </dt>
                <dd className="text-soft">{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Modal>
);
