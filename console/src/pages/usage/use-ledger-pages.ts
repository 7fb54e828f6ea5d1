import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of the pages before this one; the first page has an empty one. */
    earlierCursors?: string[]
  }
}

/** Next and previous page of the ledger. A page that was opened by its address leads back to the first one. */
export function useLedgerPages(): { onNext: (cursor: string) => void; onPrevious: (() => void) | undefined } {
  const search = useSearch({ from: '/app/usage' })
  const navigate = useNavigate({ from: '/usage' })
  const earlier = useLocation({ select: ({ state }) => state.earlierCursors }) ?? []
  const go = (cursor: string | undefined, earlierCursors: string[]) =>
    void navigate({ search: { ...search, cursor }, state: { earlierCursors }, resetScroll: false })
  return {
    onNext: (cursor) => go(cursor, [...earlier, search.cursor ?? '']),
    onPrevious: search.cursor === undefined ? undefined : () => go(earlier.at(-1) || undefined, earlier.slice(0, -1)),
  }
}
